"""A recommender whose rows come a page at a time from a feature store."""
import time

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, IterableDataset

from training import arguments, log

FIELDS, NUMBERS = 16, 13
ROUND_TRIP_S = 0.004  # what the store takes to answer
PAGES_A_BATCH = 2


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


class FeatureStore(IterableDataset):
    """Batches of numbers, ids and clicks; each is a few pages of the store."""

    def __init__(self, args):
        generator = torch.Generator().manual_seed(0)
        self.size, self.steps = args.batch // PAGES_A_BATCH, args.steps
        self.numbers = torch.randn(8 * args.batch, NUMBERS, generator=generator)
        self.ids = torch.randint(args.rows, (8 * args.batch, FIELDS), generator=generator)

    def page(self, i):
        time.sleep(ROUND_TRIP_S)
        at = i * self.size % len(self.ids)
        return self.numbers[at : at + self.size], self.ids[at : at + self.size]

    def __iter__(self):
        for step in range(self.steps):
            pages = [self.page(step * PAGES_A_BATCH + i) for i in range(PAGES_A_BATCH)]
            numbers, ids = (torch.cat(column) for column in zip(*pages))
            yield numbers, ids, ((ids[:, 0] + ids[:, 1]) % 2).float()


def main():
    args = arguments(batch=(4096, 8), width=(64, 8), rows=(5000, 50))
    torch.manual_seed(0)
    model = Recommender(FIELDS, args.rows, NUMBERS, args.width)
    dense_optimizer = torch.optim.AdamW([*model.bottom.parameters(), *model.top.parameters()], lr=1e-3, fused=True)
    table_optimizer = torch.optim.SGD(model.tables.parameters(), lr=0.1)
    loader = DataLoader(FeatureStore(args), batch_size=None, num_workers=1, prefetch_factor=4)
    for step, (numbers, ids, clicked) in enumerate(loader, 1):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            logits = model(numbers, ids)
        loss = F.binary_cross_entropy_with_logits(logits.float(), clicked)
        dense_optimizer.zero_grad()
        table_optimizer.zero_grad()
        loss.backward()
        dense_optimizer.step()
        table_optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
