"""What an animal sees, from the spikes of its neurons: spikes fade at several speeds, then a network reads them."""
import torch
import torch.nn as nn
import torch.nn.functional as F

from training import arguments, log

SCENES = 10


class Traces(nn.Module):
    """What is left of earlier spikes at each moment, for several rates of decay."""

    def __init__(self, length, rates):
        super().__init__()
        moment = torch.arange(length)
        since = moment[:, None] - moment
        left = rates[:, None, None] ** since.clamp(min=0)
        self.register_buffer("left", left * (since >= 0) * (left > 1e-12))

    def forward(self, x):
        """Traces (rates, batch, length, width) of x (batch, length, width)."""
        return self.left[:, None] @ x


class Layer(nn.Module):
    def __init__(self, width, length, rates):
        super().__init__()
        self.traces, self.norm = Traces(length, rates), nn.LayerNorm(width)
        self.mix = nn.Linear(len(rates) * width, width)
        self.mlp = nn.Sequential(nn.LayerNorm(width), nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x):
        fading = self.traces(self.norm(x))
        x = x + self.mix(fading.movedim(0, -2).flatten(-2))
        return x + self.mlp(x)


class Seen(nn.Module):
    def __init__(self, args):
        super().__init__()
        rates = torch.tensor([0.7, 0.9])
        self.enter = nn.Linear(args.neurons, args.width)
        self.layers = nn.Sequential(*[Layer(args.width, args.length, rates) for _ in range(args.layers)])
        self.leave = nn.Linear(args.width, SCENES)

    def forward(self, spikes):
        return self.leave(self.layers(self.enter(spikes)).mean(1))


def recordings(count, length, neurons, seed=0):
    rng = torch.Generator().manual_seed(seed)
    scene = torch.randint(SCENES, (count,), generator=rng)
    rate = torch.rand(SCENES, 1, neurons, generator=rng) * 0.2
    return (torch.rand(count, length, neurons, generator=rng) < rate[scene]).float(), scene


def main():
    args = arguments(batch=(4, 2), length=(320, 24), neurons=(64, 8), width=(128, 8), layers=(3, 2))
    torch.manual_seed(0)
    model = Seen(args)
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-4, fused=True)
    spikes, scene = recordings(30 * args.batch, args.length, args.neurons)
    for step in range(1, args.steps + 1):
        chosen = torch.randint(len(scene), (args.batch,))
        loss = F.cross_entropy(model(spikes[chosen]), scene[chosen])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
