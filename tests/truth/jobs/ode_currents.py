"""A neural ODE of drifting buoys, integrated with the Bogacki-Shampine method; its error estimate keeps the field smooth."""
import torch
import torch.nn as nn
import torch.nn.functional as F

from training import arguments, log

SMOOTH = 0.1


class Field(nn.Module):
    def __init__(self, size, width):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(size + 1, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh(), nn.Linear(width, size))

    def forward(self, t, y):
        return self.net(torch.cat([y, t.expand(len(y), 1)], 1))


def integrate(f, y, times):
    """The states at the times after the first, and the mean square of the local errors."""
    states, error = [], 0.0
    for t, after in zip(times[:-1], times[1:]):
        h = after - t
        k1 = f(t, y)
        k2 = f(t + h / 2, y + h / 2 * k1)
        k3 = f(t + 3 * h / 4, y + 3 * h / 4 * k2)
        y = y + h * (2 / 9 * k1 + 1 / 3 * k2 + 4 / 9 * k3)
        k4 = f(after, y)
        error = error + (h * (-5 / 72 * k1 + 1 / 12 * k2 + 1 / 9 * k3 - 1 / 8 * k4)).square().mean()
        states.append(y)
    return torch.stack(states), error / len(states)


def drifts(count, size, times, seed=0):
    """Paths on a gyre whose speed changes with the hour."""
    rng = torch.Generator().manual_seed(seed)
    start = torch.randn(count, size, generator=rng)
    spin = torch.randn(size, size, generator=rng)
    spin = 0.3 * (spin - spin.T)
    angle = times[1:] + 0.2 * torch.sin(6 * times[1:])
    return start, torch.stack([start @ torch.linalg.matrix_exp(a * spin) for a in angle])


def main():
    args = arguments(batch=(576, 4), size=(16, 3), width=(192, 8), intervals=(8, 4))
    torch.manual_seed(0)
    field = Field(args.size, args.width)
    optimizer = torch.optim.AdamW(field.parameters(), lr=1e-3, fused=True)
    times = torch.linspace(0, 1, args.intervals + 1)
    start, paths = drifts(16 * args.batch, args.size, times)
    for step in range(1, args.steps + 1):
        chosen = torch.randint(len(start), (args.batch,))
        states, error = integrate(field, start[chosen], times)
        loss = F.mse_loss(states, paths[:, chosen]) + SMOOTH * error
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
