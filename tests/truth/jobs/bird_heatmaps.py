"""Where birds are in pictures of a flock: a map that is hot in the middle of each bird, and cools off around it."""
import random

import torch
import torch.nn as nn
import torch.nn.functional as F

from training import arguments, log


class Finder(nn.Module):
    """Heat (batch, 1, side, side) of pictures (batch, 3, 2 * side, 2 * side)."""

    def __init__(self, width, layers):
        super().__init__()
        self.first = nn.Conv2d(3, width, 5, stride=2, padding=2)
        self.blocks = nn.ModuleList(
            nn.Sequential(nn.Conv2d(width, width, 3, padding=1), nn.BatchNorm2d(width), nn.ReLU()) for _ in range(layers))
        self.heat = nn.Conv2d(width, 1, 1)

    def forward(self, pictures):
        x = F.relu(self.first(pictures))
        for block in self.blocks:
            x = x + block(x)
        return self.heat(x)


class Flocks:
    """Pictures, and of each the birds: (x, y, size) as people marked them."""

    def __init__(self, args):
        rng = random.Random(2)
        self.side, self.size = args.side, args.batch
        self.pictures = torch.randn(4 * args.batch, 3, 2 * args.side, 2 * args.side, generator=torch.Generator().manual_seed(2))
        self.birds = [
            [(rng.uniform(0, args.side), rng.uniform(0, args.side), rng.uniform(1, 3)) for _ in range(rng.randint(*args.flock))]
            for _ in range(len(self.pictures))]

    def batch(self, step):
        part = slice(step % 4 * self.size, (step % 4 + 1) * self.size)
        return self.pictures[part], self.birds[part]


def heat_maps(flocks, side):
    """(batch, 1, side, side): the hottest of all birds at each place."""
    at = torch.arange(side, dtype=torch.float32)
    maps = torch.zeros(len(flocks), 1, side, side)
    for heat, birds in zip(maps, flocks):
        for x, y, size in birds:
            across = torch.exp(-((at - torch.tensor(x)) ** 2) / torch.tensor(2 * size**2))
            down = torch.exp(-((at - torch.tensor(y)) ** 2) / torch.tensor(2 * size**2))
            torch.maximum(heat[0], torch.outer(down, across), out=heat[0])
    return maps


def main():
    args = arguments(batch=(12, 2), side=(40, 8), width=(40, 4), layers=(3, 1), flock=((10, 30), (1, 4)))
    torch.manual_seed(0)
    model = Finder(args.width, args.layers)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
    flocks = Flocks(args)
    for step in range(1, args.steps + 1):
        pictures, birds = flocks.batch(step)
        target = heat_maps(birds, args.side)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            heat = model(pictures)
        loss = F.binary_cross_entropy_with_logits(heat.float(), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
