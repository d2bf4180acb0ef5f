"""Slices of a body from few x-rays: a guess is corrected by what its own rays would look like, then by a network, several times."""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F

from training import arguments, log


def ray_weights(side, angles):
    """(side * side, angles * side): how much of each pixel lies on each ray."""
    at = torch.linspace(-1, 1, side)
    y, x = torch.meshgrid(at, at, indexing="ij")
    turn = torch.arange(angles) * (math.pi / angles)
    lands = x.reshape(-1, 1) * turn.cos() + y.reshape(-1, 1) * turn.sin()
    away = (lands.unsqueeze(2) - at).abs() * (side - 1) / 2
    return (1 - away).clamp(min=0).flatten(1)


class Correction(nn.Module):
    """One round: towards the measured rays, then what a network knows of bodies."""

    def __init__(self, side, angles, width):
        super().__init__()
        self.register_buffer("weights", ray_weights(side, angles), persistent=False)
        self.pace = nn.Parameter(torch.tensor(1e-3))
        self.net = nn.Sequential(
            nn.Conv2d(1, width, 3, padding=1), nn.PReLU(), nn.Conv2d(width, width, 3, padding=1), nn.PReLU(),
            nn.Conv2d(width, 1, 3, padding=1))

    def forward(self, slices, measured):
        missing = measured - slices.flatten(1) @ self.weights
        slices = slices + self.pace * (missing @ self.weights.T).view_as(slices)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            better = self.net(slices)
        return slices + better.float()


class Scanner(nn.Module):
    def __init__(self, args):
        super().__init__()
        self.side = args.side
        self.rounds = nn.ModuleList(Correction(args.side, args.angles, args.width) for _ in range(args.rounds))

    def forward(self, measured):
        slices = measured.new_zeros(len(measured), 1, self.side, self.side)
        for correct in self.rounds:
            slices = correct(slices, measured)
        return slices


def scans(args):
    """args.steps pairs of slices (batch, 1, side, side) and their rays (batch, angles * side)."""
    generator = torch.Generator().manual_seed(0)
    coarse = torch.rand(5 * args.batch, 1, 6, 6, generator=generator)
    bodies = F.interpolate(coarse, size=(args.side, args.side), mode="bicubic", align_corners=False)
    rays = bodies.flatten(1) @ ray_weights(args.side, args.angles)
    rays += 0.05 * torch.randn(rays.shape, generator=generator)
    for step in range(args.steps):
        part = slice(step % 5 * args.batch, (step % 5 + 1) * args.batch)
        yield bodies[part], rays[part]


def main():
    args = arguments(batch=(24, 2), side=(40, 8), angles=(24, 3), rounds=(3, 2), width=(20, 4))
    torch.manual_seed(0)
    model = Scanner(args)
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-4, fused=True)
    for step, (bodies, rays) in enumerate(scans(args), 1):
        loss = F.mse_loss(model(rays), bodies)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
