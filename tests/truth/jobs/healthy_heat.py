"""Heat in a rod, by what physics says of it: the network's own derivatives shall obey the equation."""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F

from training import arguments, log

SPREAD = 0.1


class Heat(nn.Module):
    """The heat (n, 1) at places and times (n, 2)."""

    def __init__(self, width, layers):
        super().__init__()
        parts = [part for _ in range(layers) for part in (nn.Linear(width, width), nn.Tanh())]
        self.net = nn.Sequential(nn.Linear(2, width), nn.Tanh(), *parts, nn.Linear(width, 1))

    def forward(self, points):
        return self.net(points)


def residual(model, points):
    """How far du/dt is from SPREAD * d2u/dx2."""
    points = points.requires_grad_()
    heat = model(points)
    slope = torch.autograd.grad(heat.sum(), points, create_graph=True)[0]
    bend = torch.autograd.grad(slope[:, 0].sum(), points, create_graph=True)[0][:, :1]
    return slope[:, 1:] - SPREAD * bend


def main():
    args = arguments(batch=(6144, 8), width=(64, 8), layers=(3, 1))
    torch.manual_seed(0)
    model = Heat(args.width, args.layers)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, fused=True)
    generator = torch.Generator().manual_seed(0)
    for step in range(1, args.steps + 1):
        points = torch.rand(args.batch, 2, generator=generator)
        start = torch.rand(args.batch // 8, 2, generator=generator) * torch.tensor([1.0, 0.0])
        began = (math.pi * start[:, :1]).sin()
        loss = residual(model, points).square().mean() + 10 * F.mse_loss(model(start), began)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
