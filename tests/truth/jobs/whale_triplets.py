"""Tells whales apart by their flukes: a metric learned from triplets with the hardest few negatives of the batch."""
import torch
import torch.nn as nn
import torch.nn.functional as F

from training import arguments, log

MARGIN, HARD = 0.2, 5


class Embedder(nn.Module):
    def __init__(self, inputs, width, features):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(inputs, width), nn.GELU(), nn.LayerNorm(width), nn.Linear(width, width), nn.GELU(), nn.Linear(width, features))

    def forward(self, x):
        return F.normalize(self.net(x), dim=1)


def triplet_loss(features, whale):
    """Each picture with every other of its whale, against the nearest few of other whales."""
    near = features @ features.T
    same = whale[:, None] == whale
    with torch.no_grad():
        hardest = near.masked_fill(same, -2.0).sort(dim=1, descending=True).indices[:, :HARD]
    negative = near.gather(1, hardest)
    itself = torch.eye(len(whale), dtype=torch.bool)
    row, column = (same & ~itself).nonzero(as_tuple=True)
    return F.relu(negative[row] - near[row, column, None] + MARGIN).mean()


def flukes(whales, inputs, seed=0):
    return torch.randn(whales, inputs, generator=torch.Generator().manual_seed(seed))


def main():
    args = arguments(batch=(272, 6), views=(3, 3), whales=(2000, 40), inputs=(512, 16), width=(1024, 16), features=(64, 8))
    torch.manual_seed(0)
    model = Embedder(args.inputs, args.width, args.features)
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-4, fused=True)
    known = flukes(args.whales, args.inputs)
    for step in range(1, args.steps + 1):
        whale = torch.randint(args.whales, (args.batch,)).repeat(args.views)
        loss = triplet_loss(model(known[whale] + torch.randn(len(whale), args.inputs)), whale)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
