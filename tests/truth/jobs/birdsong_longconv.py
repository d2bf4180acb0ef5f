"""Which bird sings: gated layers with convolutions as long as the recording, by Fourier transforms."""
import torch
import torch.nn as nn
import torch.nn.functional as F

from training import arguments, log

BIRDS, BANDS = 20, 24


class LongConvolution(nn.Module):
    """Every channel with its own causal filter as long as the input."""

    def __init__(self, width, length):
        super().__init__()
        fade = torch.exp(-torch.linspace(0, 6, length))
        self.filter = nn.Parameter(0.1 * torch.randn(width, length) * fade)
        self.direct = nn.Parameter(torch.ones(width, 1))

    def forward(self, x):
        n = x.shape[-1]
        spectrum = torch.fft.fft(x, n=2 * n) * torch.fft.fft(self.filter, n=2 * n)
        return torch.fft.ifft(spectrum).real[..., :n] + self.direct * x


class Layer(nn.Module):
    def __init__(self, width, length):
        super().__init__()
        self.norm, self.gates, self.mix = nn.LayerNorm(width), nn.Linear(width, 2 * width), nn.Linear(width, width)
        self.long = LongConvolution(width, length)
        self.mlp = nn.Sequential(nn.LayerNorm(width), nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width))

    def forward(self, x):
        gate, value = self.gates(self.norm(x)).chunk(2, -1)
        heard = self.long(value.transpose(1, 2)).transpose(1, 2)
        x = x + self.mix(gate.sigmoid() * heard)
        return x + self.mlp(x)


class Song(nn.Module):
    def __init__(self, args):
        super().__init__()
        self.enter = nn.Linear(BANDS, args.width)
        self.layers = nn.Sequential(*[Layer(args.width, args.frames) for _ in range(args.layers)])
        self.leave = nn.Linear(args.width, BIRDS)

    def forward(self, sound):
        return self.leave(self.layers(self.enter(sound)).mean(1))


def songs(count, frames, seed=0):
    rng = torch.Generator().manual_seed(seed)
    bird = torch.randint(BIRDS, (count,), generator=rng)
    pitch = torch.randn(BIRDS, 1, BANDS, generator=rng)
    tempo = (0.05 + 0.02 * bird)[:, None, None] * torch.arange(frames)[:, None]
    return tempo.sin() * pitch[bird] + torch.randn(count, frames, BANDS, generator=rng), bird


def main():
    args = arguments(batch=(6, 2), frames=(512, 24), width=(128, 8), layers=(2, 2))
    torch.manual_seed(0)
    model = Song(args)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
    sound, bird = songs(40 * args.batch, args.frames)
    for step in range(1, args.steps + 1):
        chosen = torch.randint(len(bird), (args.batch,))
        loss = F.cross_entropy(model(sound[chosen]), bird[chosen])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
