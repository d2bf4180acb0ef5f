"""A normalizing flow of affine couplings over the state of a particle detector, trained by exact likelihood."""
import math

import torch
import torch.nn as nn

from training import arguments, log


class Coupling(nn.Module):
    """Half of the numbers say how the other half is scaled and moved."""

    def __init__(self, size, width, swap):
        super().__init__()
        self.swap = swap
        self.net = nn.Sequential(nn.Linear(size // 2, width), nn.SiLU(), nn.Linear(width, width), nn.SiLU(), nn.Linear(width, size))

    def split(self, x):
        a, b = x.chunk(2, 1)
        return (b, a) if self.swap else (a, b)

    def join(self, a, b):
        return torch.cat([b, a] if self.swap else [a, b], 1)

    def forward(self, x):
        a, b = self.split(x)
        scale, move = self.net(a).chunk(2, 1)
        scale = scale.tanh()
        return self.join(a, b * scale.exp() + move), scale.sum(1)

    def inverse(self, z):
        a, b = self.split(z)
        scale, move = self.net(a).chunk(2, 1)
        return self.join(a, (b - move) * (-scale.tanh()).exp())


class Flow(nn.Module):
    def __init__(self, size, width, layers):
        super().__init__()
        self.layers = nn.ModuleList(Coupling(size, width, bool(i % 2)) for i in range(layers))

    def forward(self, x):
        volume = 0.0
        for layer in self.layers:
            x, more = layer(x)
            volume = volume + more
        return x, volume

    @torch.no_grad()
    def inverse(self, z):
        for layer in reversed(self.layers):
            z = layer.inverse(z)
        return z


def negative_log_likelihood(flow, x):
    z, volume = flow(x)
    return (0.5 * z.square().sum(1) + 0.5 * x.shape[1] * math.log(2 * math.pi) - volume).mean() / x.shape[1]


def events(count, size, seed=0):
    rng = torch.Generator().manual_seed(seed)
    mix = torch.randn(size, size, generator=rng) * size**-0.5
    hidden = torch.randn(count, size, generator=rng)
    return (hidden @ mix).tanh() + 0.1 * torch.randn(count, size, generator=rng)


def main():
    args = arguments(batch=(2304, 16), size=(32, 6), width=(192, 12), layers=(8, 3))
    torch.manual_seed(0)
    flow = Flow(args.size, args.width, args.layers)
    optimizer = torch.optim.AdamW(flow.parameters(), lr=5e-4, fused=True)
    data = events(30 * args.batch, args.size)
    for step in range(1, args.steps + 1):
        loss = negative_log_likelihood(flow, data[torch.randint(len(data), (args.batch,))])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
