"""Recognises spoken digit strings with CTC: log-mel frames of the recordings, dilated convolutions."""
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

from training import arguments, log

DIGITS, BANDS, RATE = 10, 64, 16_000
BLANK = DIGITS


class Frames(nn.Module):
    """Log-mel energies (batch, bands, frames) of waves (batch, samples)."""

    def __init__(self, size=800, hop=160):
        super().__init__()
        self.size, self.hop = size, hop
        self.register_buffer("window", torch.hann_window(size))
        edges = 700 * (10 ** (torch.linspace(0, 2840, BANDS + 2) / 2595) - 1)
        bins = torch.linspace(0, RATE / 2, size // 2 + 1)[:, None]
        rise, fall = (bins - edges[:-2]) / (edges[1:-1] - edges[:-2]), (edges[2:] - bins) / (edges[2:] - edges[1:-1])
        self.register_buffer("mel", torch.minimum(rise, fall).clamp(min=0))

    @torch.no_grad()
    def forward(self, wave):
        wave = F.pad(wave[:, 1:] - 0.97 * wave[:, :-1], (1, 0))
        spectrum = torch.stft(wave, self.size, self.hop, window=self.window.to(wave.dtype), return_complex=True)
        energy = spectrum.abs().square().transpose(1, 2) @ self.mel.to(wave.dtype)
        energy = energy.clamp(min=1e-6).log()
        energy = (energy - energy.mean((1, 2), keepdim=True)) / energy.std((1, 2), keepdim=True)
        return energy.float().transpose(1, 2)


class Recogniser(nn.Module):
    def __init__(self, width, layers):
        super().__init__()
        self.enter = nn.Conv1d(BANDS, width, 5, 2, 2)
        self.layers = nn.ModuleList(nn.Conv1d(width, width, 3, padding=2**i, dilation=2**i) for i in range(layers))
        self.leave = nn.Conv1d(width, DIGITS + 1, 1)

    def forward(self, frames):
        h = F.gelu(self.enter(frames))
        for layer in self.layers:
            h = h + F.gelu(layer(h))
        return self.leave(h).log_softmax(1)


def recordings(count, samples, digits, seed=0):
    """Each digit is a chord that sounds for a while; samples between -1 and 1 as a sound file gives them."""
    rng = np.random.default_rng(seed)
    said = rng.integers(0, DIGITS, (count, digits))
    tone = rng.uniform(200, 3000, (DIGITS, 2))[said].repeat(samples // digits, axis=1)
    phase = np.cumsum(tone / RATE, axis=1) * 2 * np.pi
    wave = 0.3 * np.sin(phase).sum(2) + 0.05 * rng.standard_normal(phase.shape[:2])
    return torch.from_numpy(wave), torch.from_numpy(said)


def main():
    args = arguments(batch=(16, 2), samples=(24_000, 4_000), digits=(20, 5), width=(256, 8), layers=(4, 2))
    torch.manual_seed(0)
    frames, model = Frames(), Recogniser(args.width, args.layers)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
    waves, said = recordings(8 * args.batch, args.samples, args.digits)
    for step in range(1, args.steps + 1):
        chosen = torch.randint(len(waves), (args.batch,))
        scores = model(frames(waves[chosen])).permute(2, 0, 1)
        lengths = torch.full((args.batch,), len(scores)), torch.full((args.batch,), args.digits)
        loss = F.ctc_loss(scores, said[chosen], *lengths, blank=BLANK)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
