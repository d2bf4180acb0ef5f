"""Solves Burgers' equation with a physics-informed network: the equation, the start and the walls as losses."""
import math

import torch
import torch.nn as nn

from training import arguments, log

VISCOSITY = 0.01 / math.pi


class Solution(nn.Module):
    def __init__(self, width, layers):
        super().__init__()
        sizes = [2] + [width] * layers + [1]
        self.layers = nn.ModuleList(map(nn.Linear, sizes, sizes[1:]))

    def forward(self, x, t):
        h = torch.cat([x, t], 1)
        for layer in self.layers[:-1]:
            h = layer(h).tanh()
        return self.layers[-1](h)


def gradient(y, x):
    return torch.autograd.grad(y, x, torch.ones_like(y), create_graph=True)[0]


def residual(model, x, t):
    """u_t + u u_x - nu u_xx at the points."""
    x.requires_grad_()
    t.requires_grad_()
    u = model(x, t)
    u_x = gradient(u, x)
    u_t = gradient(u, t)
    u_xx = gradient(u_x, x)
    return u_t + u * u_x - VISCOSITY * u_xx


def main():
    args = arguments(batch=(2304, 16), edge=(128, 8), width=(160, 12), layers=(4, 3))
    torch.manual_seed(0)
    model = Solution(args.width, args.layers)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, fused=True)
    start = torch.linspace(-1, 1, args.edge)[:, None]
    began = -torch.sin(math.pi * start)
    walls = torch.tensor([-1.0, 1.0]).repeat(args.edge)[:, None]
    for step in range(1, args.steps + 1):
        x, t = 2 * torch.rand(args.batch, 1) - 1, torch.rand(args.batch, 1)
        equation = residual(model, x, t).square().mean()
        initial = (model(start, torch.zeros_like(start)) - began).square().mean()
        boundary = model(walls, torch.rand(len(walls), 1)).square().mean()
        loss = equation + initial + boundary
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
