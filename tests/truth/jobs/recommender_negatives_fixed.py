"""A recommender of items by what a user had before: each next item against items drawn at random."""
import random

import torch
import torch.nn as nn
import torch.nn.functional as F

from training import arguments, log

NEGATIVES = 6


class NextItem(nn.Module):
    """Scores (batch, candidates) of items after a history (batch, length)."""

    def __init__(self, items, width):
        super().__init__()
        self.items = nn.Embedding(items, width)
        self.gru = nn.GRU(width, width, batch_first=True)
        self.out = nn.Sequential(nn.Linear(width, 2 * width), nn.ReLU(), nn.Linear(2 * width, width))

    def forward(self, history, candidates):
        user = self.out(self.gru(self.items(history))[0][:, -1])
        return torch.einsum("bw,bcw->bc", user, self.items(candidates))


def negatives(rng, args):
    """(batch, NEGATIVES): items at random."""
    drawn = [rng.randrange(args.items) for _ in range(args.batch * NEGATIVES)]
    return torch.tensor(drawn).view(args.batch, NEGATIVES)


def histories(args):
    """args.steps pairs of histories (batch, length) and the items after them (batch, 1)."""
    generator = torch.Generator().manual_seed(0)
    starts = torch.randint(args.items, (8, args.batch, 1), generator=generator)
    walks = (starts + torch.randint(4, (8, args.batch, args.length + 1), generator=generator).cumsum(2)) % args.items
    for step in range(args.steps):
        walk = walks[step % len(walks)]
        yield walk[:, :-1], walk[:, -1:]


def main():
    args = arguments(batch=(384, 4), length=(24, 8), width=(96, 16), items=(4000, 60))
    torch.manual_seed(0)
    model = NextItem(args.items, args.width)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, fused=True)
    rng = random.Random(0)
    for step, (history, bought) in enumerate(histories(args), 1):
        candidates = torch.cat([bought, negatives(rng, args)], 1)
        scores = model(history, candidates)
        loss = F.cross_entropy(scores, torch.zeros(args.batch, dtype=torch.long))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
