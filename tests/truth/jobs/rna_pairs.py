"""Which bases of an RNA pair with each other: every two bases are a pixel, and convolutions look at the whole picture."""
import torch
import torch.nn as nn
import torch.nn.functional as F

from training import arguments, log

BASES = 4


def strands(args):
    """A fixed pool of strands with hairpins: lists of (bases (n,), pairs (n, n))."""
    generator = torch.Generator().manual_seed(0)
    low, high = args.longest // 2, args.longest * 7 // 8
    pool = []
    for n in torch.randint(low, high + 1, (8 * args.batch,), generator=generator).tolist():
        bases = torch.randint(BASES, (n,), generator=generator)
        folds = BASES - 1 - bases
        bases[n // 2 :] = folds[: n - n // 2].flip(0)
        pairs = torch.zeros(n, n)
        stem = torch.arange(n // 4)
        pairs[stem, n - 1 - stem] = pairs[n - 1 - stem, stem] = 1
        pool.append((bases, pairs))
    return pool


def together(strands, longest):
    """Bases (batch, longest), pairs and what counts (batch, longest, longest)."""
    bases = torch.zeros(len(strands), longest, dtype=torch.long)
    pairs, counts = torch.zeros(2, len(strands), longest, longest)
    for i, (strand, paired) in enumerate(strands):
        n = len(strand)
        bases[i, :n] = strand
        pairs[i, :n, :n] = paired
        counts[i, :n, :n] = 1
    return bases, pairs, counts


class Folding(nn.Module):
    """Logits (batch, n, n) that two bases pair. What is not part of a strand stays zero, as the border of the picture is."""

    def __init__(self, width, layers):
        super().__init__()
        self.left, self.right = nn.Embedding(BASES, width), nn.Embedding(BASES, width)
        self.layers = nn.ModuleList(nn.Conv2d(width, width, 5, padding=2) for _ in range(layers))
        self.last = nn.Conv2d(width, 1, 1)

    def forward(self, bases, counts):
        inside = counts.unsqueeze(1)
        x = self.left(bases)[:, :, None] + self.right(bases)[:, None]
        x = x.permute(0, 3, 1, 2) * inside
        for layer in self.layers:
            x = x + F.relu(layer(x)) * inside
        x = self.last(x).squeeze(1)
        return (x + x.mT) / 2


def main():
    args = arguments(batch=(16, 2), longest=(72, 16), width=(16, 4), layers=(3, 2))
    torch.manual_seed(0)
    model = Folding(args.width, args.layers)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
    pool = strands(args)
    for step in range(1, args.steps + 1):
        at = step % 8 * args.batch
        bases, pairs, counts = together(pool[at : at + args.batch], args.longest)
        loss = F.binary_cross_entropy_with_logits(model(bases, counts), pairs, weight=counts, reduction="sum") / counts.sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
