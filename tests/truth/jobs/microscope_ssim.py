"""Cleans pictures from a microscope: a residual network, judged by structural similarity with what is clean."""
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

from training import arguments, log

RADIUS, C1, C2 = 5, 0.01**2, 0.03**2


def bell():
    """Weights (1, 1, 11, 11) that sum to one."""
    x = np.exp(-np.arange(-RADIUS, RADIUS + 1) ** 2 / 4.5)
    return np.outer(x, x)[None, None] / x.sum() ** 2


class Similarity(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("window", torch.from_numpy(bell()))

    def forward(self, a, b):
        a, b = a.to(self.window.dtype), b.to(self.window.dtype)
        mean = F.conv2d(torch.cat([a, b]), self.window)
        square = F.conv2d(torch.cat([a * a, b * b, a * b]), self.window)
        mean_a, mean_b = mean.chunk(2)
        square_a, square_b, product = square.chunk(3)
        common = (2 * mean_a * mean_b + C1) * (2 * (product - mean_a * mean_b) + C2)
        spread = square_a - mean_a.square() + square_b - mean_b.square()
        return (common / ((mean_a.square() + mean_b.square() + C1) * (spread + C2))).mean()


class Cleaner(nn.Module):
    def __init__(self, width, layers):
        super().__init__()
        self.enter, self.leave = nn.Conv2d(1, width, 3, 1, 1), nn.Conv2d(width, 1, 3, 1, 1)
        self.body = nn.ModuleList(
            nn.Sequential(nn.Conv2d(width, width, 3, 1, 1), nn.ReLU(), nn.Conv2d(width, width, 3, 1, 1)) for _ in range(layers)
        )

    def forward(self, picture):
        x = self.enter(picture)
        for layer in self.body:
            x = x + layer(x)
        return (picture + self.leave(x)).clamp(0, 1)


def pictures(count, side, seed=0):
    rng = torch.Generator().manual_seed(seed)
    coarse = torch.rand(count, 1, side // 4, side // 4, generator=rng)
    return F.interpolate(coarse, size=side, mode="bilinear", align_corners=False)


def main():
    args = arguments(batch=(6, 2), side=(64, 24), width=(24, 4), layers=(2, 1))
    torch.manual_seed(0)
    model, similarity = Cleaner(args.width, args.layers), Similarity()
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-4, fused=True)
    clean = pictures(20 * args.batch, args.side)
    for step in range(1, args.steps + 1):
        picture = clean[torch.randint(len(clean), (args.batch,))]
        guess = model((picture + 0.1 * torch.randn_like(picture)).clamp(0, 1))
        loss = 1 - similarity(guess, picture) + 0.2 * F.l1_loss(guess, picture)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
