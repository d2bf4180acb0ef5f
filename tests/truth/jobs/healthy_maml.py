"""Learns waves from a few points: an inner step on the points of a task, judged by other points, differentiated through."""
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.func import functional_call

from training import arguments, log

RATE = 0.05


def network(width):
    return nn.Sequential(nn.Linear(8, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh(), nn.Linear(width, 1))


class Waves:
    """A task is a wave over eight coordinates with its own height and phase."""

    def __init__(self, points, seed=0):
        self.rng, self.points = torch.Generator().manual_seed(seed), points

    def task(self):
        x = 4 * torch.rand(2, self.points, 8, generator=self.rng) - 2
        height, phase = torch.rand(2, generator=self.rng)
        return x, (0.5 + height) * torch.sin(x.sum(-1, keepdim=True) + 3 * phase)


def adapted(model, weights, x, y, rounds):
    """Weights after some steps of descent on a task, with how they depend on those before."""
    for _ in range(rounds):
        loss = F.mse_loss(functional_call(model, weights, (x,)), y)
        slopes = torch.autograd.grad(loss, tuple(weights.values()), create_graph=True)
        weights = {name: w - RATE * slope for (name, w), slope in zip(weights.items(), slopes)}
    return weights


def main():
    args = arguments(batch=(2, 2), points=(768, 8), width=(192, 8), rounds=(2, 2))
    torch.manual_seed(0)
    model, waves = network(args.width), Waves(args.points)
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-4, fused=True)
    for step in range(1, args.steps + 1):
        total = 0.0
        for _ in range(args.batch):
            x, y = waves.task()
            weights = adapted(model, dict(model.named_parameters()), x[0], y[0], args.rounds)
            total = total + F.mse_loss(functional_call(model, weights, (x[1],)), y[1]) / args.batch
        optimizer.zero_grad()
        total.backward()
        optimizer.step()
        log(step, total, args)


if __name__ == "__main__":
    main()
