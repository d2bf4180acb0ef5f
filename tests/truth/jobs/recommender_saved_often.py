"""A recommender that is saved, tables and all, so that little is lost."""
import os
import tempfile

import torch
import torch.nn as nn
import torch.nn.functional as F

from training import arguments, log

FIELDS, NUMBERS = 20, 13
SAVE_EVERY = 4


class Recommender(nn.Module):
    """A table for each field, their products with each other, and two stacks of layers."""

    def __init__(self, fields, rows, numbers, width):
        super().__init__()
        self.tables = nn.ModuleList(nn.Embedding(rows, width, sparse=True) for _ in range(fields))
        self.bottom = nn.Sequential(nn.Linear(numbers, 4 * width), nn.ReLU(), nn.Linear(4 * width, width), nn.ReLU())
        pairs = (fields + 1) * fields // 2
        self.register_buffer("pairs", torch.triu_indices(fields + 1, fields + 1, 1), persistent=False)
        self.top = nn.Sequential(
            nn.Linear(width + pairs, 8 * width), nn.ReLU(), nn.Linear(8 * width, 4 * width), nn.ReLU(), nn.Linear(4 * width, 1))

    def forward(self, numbers, ids):
        dense = self.bottom(numbers)
        vectors = torch.stack([dense] + [table(column) for table, column in zip(self.tables, ids.unbind(1))], 1)
        products = vectors @ vectors.transpose(1, 2)
        products = products[:, self.pairs[0], self.pairs[1]]
        return self.top(torch.cat([dense.to(products.dtype), products], 1)).squeeze(1)


def clicks(args, rows, seed=0, pool=8):
    """Pools of numbers (batch, NUMBERS), ids (batch, FIELDS) and whether it was clicked."""
    generator = torch.Generator().manual_seed(seed)
    for _ in range(pool):
        numbers = torch.randn(args.batch, NUMBERS, generator=generator)
        ids = torch.randint(rows, (args.batch, FIELDS), generator=generator)
        yield numbers, ids, ((ids[:, 0] + ids[:, 1]) % 2).float()


def main():
    args = arguments(batch=(4096, 8), width=(64, 8), rows=(2000, 50))
    torch.manual_seed(0)
    model = Recommender(FIELDS, args.rows, NUMBERS, args.width)
    dense_optimizer = torch.optim.AdamW([*model.bottom.parameters(), *model.top.parameters()], lr=1e-3, fused=True)
    table_optimizer = torch.optim.SGD(model.tables.parameters(), lr=0.1)
    pool = list(clicks(args, args.rows))
    folder = tempfile.TemporaryDirectory()
    for step in range(1, args.steps + 1):
        numbers, ids, clicked = pool[step % len(pool)]
        with torch.autocast("cpu", dtype=torch.bfloat16):
            logits = model(numbers, ids)
        loss = F.binary_cross_entropy_with_logits(logits.float(), clicked)
        dense_optimizer.zero_grad()
        table_optimizer.zero_grad()
        loss.backward()
        dense_optimizer.step()
        table_optimizer.step()
        log(step, loss, args)
        if step % SAVE_EVERY == 0:
            state = {"step": step, "model": model.state_dict(), "dense": dense_optimizer.state_dict()}
            torch.save(state, os.path.join(folder.name, f"clicks-{step // SAVE_EVERY % 2}.pt"))
    folder.cleanup()


if __name__ == "__main__":
    main()
