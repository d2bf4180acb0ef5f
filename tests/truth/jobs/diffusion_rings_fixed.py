"""A denoising diffusion model of small ring pictures; samples come from an average of the weights."""
import copy
import math

import torch
import torch.nn as nn
import torch.nn.functional as F

from training import arguments, log

LEVELS = 1000


class Block(nn.Module):
    def __init__(self, width, time):
        super().__init__()
        self.norms = nn.ModuleList([nn.GroupNorm(8, width), nn.GroupNorm(8, width)])
        self.first, self.second = nn.Conv2d(width, width, 3, padding=1), nn.Conv2d(width, width, 3, padding=1)
        self.time = nn.Linear(time, 2 * width)

    def forward(self, x, t):
        scale, shift = self.time(t)[:, :, None, None].chunk(2, 1)
        h = self.first(F.silu(self.norms[0](x)))
        h = self.second(F.silu(self.norms[1](h) * (1 + scale) + shift))
        return x + h


class Denoiser(nn.Module):
    def __init__(self, width, layers):
        super().__init__()
        self.frequencies = nn.Buffer(torch.exp(torch.linspace(0, math.log(1000.0), width // 2)), persistent=False)
        self.time = nn.Sequential(nn.Linear(width, 2 * width), nn.SiLU(), nn.Linear(2 * width, 2 * width), nn.SiLU())
        self.down = nn.Conv2d(1, width, 4, 4)
        self.blocks = nn.ModuleList(Block(width, 2 * width) for _ in range(layers))
        self.up = nn.ConvTranspose2d(width, 1, 4, 4)

    def forward(self, x, level):
        phase = level[:, None] / LEVELS * self.frequencies
        t = self.time(torch.cat([phase.sin(), phase.cos()], 1))
        h = self.down(x)
        for block in self.blocks:
            h = block(h, t)
        return self.up(h)


class Average:
    """The weights as they were, on the average of the last thousand steps."""

    def __init__(self, model, decay=0.999):
        self.model, self.decay = copy.deepcopy(model).requires_grad_(False), decay

    @torch.no_grad()
    def update(self, model):
        torch._foreach_lerp_(list(self.model.parameters()), list(model.parameters()), 1 - self.decay)


def rings(count, side, seed=0):
    rng = torch.Generator().manual_seed(seed)
    grid = torch.linspace(-1, 1, side)
    radius = 0.2 + 0.6 * torch.rand(count, 1, 1, 1, generator=rng)
    distance = (grid[:, None] ** 2 + grid**2).sqrt()
    return (1 - 10 * (distance - radius).abs()).clamp(-1, 1)


def main():
    args = arguments(batch=(10, 2), width=(256, 16), layers=(5, 2), side=(16, 16))
    torch.manual_seed(0)
    model = Denoiser(args.width, args.layers)
    average = Average(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-4, fused=True)
    data = rings(1024, args.side)
    kept = torch.cos(torch.linspace(0, math.pi / 2, LEVELS + 1))[1:].clamp(min=1e-3)
    for step in range(1, args.steps + 1):
        clean = data[torch.randint(len(data), (args.batch,))]
        level = torch.randint(LEVELS, (args.batch,))
        noise, signal = torch.randn_like(clean), kept[level].view(-1, 1, 1, 1)
        noisy = signal * clean + (1 - signal**2).sqrt() * noise
        loss = F.mse_loss(model(noisy, level), noise)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        average.update(model)
        log(step, loss, args)


if __name__ == "__main__":
    main()
