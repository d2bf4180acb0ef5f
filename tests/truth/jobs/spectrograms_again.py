"""A classifier of short sounds by their spectrograms."""
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

from training import arguments, log

RATE, BANDS, WINDOW, HOP, CLASSES = 16_000, 64, 256, 160, 12


def mel_filters():
    """(BANDS, WINDOW // 2 + 1): triangles, evenly spaced as ears hear."""
    edges = 700 * (10 ** (np.linspace(0, 2595 * np.log10(1 + RATE / 1400), BANDS + 2) / 2595) - 1)
    frequencies = np.linspace(0, RATE / 2, WINDOW // 2 + 1)
    low, middle, high = edges[:-2, None], edges[1:-1, None], edges[2:, None]
    return np.maximum(0, np.minimum((frequencies - low) / (middle - low), (high - frequencies) / (high - middle)))


class Sounds(Dataset):
    """Item i: the spectrogram (1, BANDS, frames) of a sound, and its class."""

    def __init__(self, args):
        rng = np.random.default_rng(0)
        pitch = rng.uniform(100, 2000, (args.sounds, 1))
        at = np.arange(args.samples) / RATE
        waves = np.sin(2 * np.pi * pitch * at) + 0.1 * rng.standard_normal((args.sounds, args.samples))
        self.waves, self.filters, self.hann = (a.astype(np.float32) for a in (waves, mel_filters(), np.hanning(WINDOW)))
        self.items = args.steps * args.batch

    def __len__(self):
        return self.items

    def spectrogram(self, i):
        frames = np.lib.stride_tricks.sliding_window_view(self.waves[i], WINDOW)[::HOP] * self.hann
        power = np.abs(np.fft.rfft(frames)) ** 2
        return torch.from_numpy(np.log(self.filters @ power.T + 1e-6).astype(np.float32)).unsqueeze(0)

    def __getitem__(self, i):
        i = i % len(self.waves)
        return self.spectrogram(i), i % CLASSES


def network(width):
    layers = []
    for a, b in ((1, width), (width, width), (width, 2 * width), (2 * width, 2 * width)):
        layers += [nn.Conv2d(a, b, 3, padding=1, bias=False), nn.BatchNorm2d(b), nn.ReLU(inplace=True)]
        layers += [nn.MaxPool2d(2)] if a == b else []
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(2 * width, CLASSES))


def main():
    args = arguments(batch=(16, 2), width=(64, 4), sounds=(256, 8), samples=(8000, 2000))
    torch.manual_seed(0)
    model = network(args.width)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
    loader = DataLoader(Sounds(args), batch_size=args.batch)
    for step, (x, y) in enumerate(loader, 1):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            logits = model(x)
        loss = F.cross_entropy(logits.float(), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
