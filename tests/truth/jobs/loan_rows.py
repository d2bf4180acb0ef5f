"""Will a loan be paid back? Rows of a database, and a residual network on their columns."""
import sqlite3

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

from training import arguments, log

COLUMNS = [f"c{i}" for i in range(20)]


def make_database(args):
    """A table of loans; the last column says whether one was paid back."""
    values = torch.randn(args.loans, len(COLUMNS), generator=torch.Generator().manual_seed(0))
    paid = (values[:, :4].sum(1) > 0).float()
    database = sqlite3.connect(":memory:")
    database.execute(f"CREATE TABLE loans (id INTEGER PRIMARY KEY, {', '.join(c + ' REAL' for c in COLUMNS)}, paid REAL)")
    rows = ((i, *row) for i, row in enumerate(torch.cat([values, paid[:, None]], 1).tolist()))
    database.executemany(f"INSERT INTO loans VALUES ({', '.join('?' * (len(COLUMNS) + 2))})", rows)
    return database


class Loans(Dataset):
    def __init__(self, database, args):
        self.database = database
        self.loans, self.items = args.loans, args.steps * args.batch

    def __len__(self):
        return self.items

    def __getitem__(self, i):
        query = f"SELECT {', '.join(COLUMNS)}, paid FROM loans WHERE id = ?"
        *columns, paid = self.database.execute(query, (i % self.loans,)).fetchone()
        return torch.tensor(columns), torch.tensor(paid)


class Residual(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.wide, self.narrow = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)

    def forward(self, x):
        return x + self.narrow(F.relu(self.wide(self.norm(x))))


def main():
    args = arguments(batch=(768, 4), width=(576, 16), layers=(5, 2), loans=(20_000, 50))
    torch.manual_seed(0)
    model = nn.Sequential(
        nn.Linear(len(COLUMNS), args.width), *(Residual(args.width) for _ in range(args.layers)), nn.Linear(args.width, 1))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
    loader = DataLoader(Loans(make_database(args), args), batch_size=args.batch)
    for step, (x, paid) in enumerate(loader, 1):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            logits = model(x)
        loss = F.binary_cross_entropy_with_logits(logits.float().squeeze(1), paid)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
