"""Spectra in NumPy arrays, stacked to a batch in every step. The tensor made of the stack copies it once more."""
import argparse

import numpy as np
import torch
import torch.nn as nn


class SpectraModel(nn.Module):
    def __init__(self, bands, width, kinds):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(bands, width), nn.ReLU(), nn.Linear(width, kinds))

    def forward(self, x):
        return self.net(x)


def train(model, spectra, kinds, batch, steps):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    criterion = nn.CrossEntropyLoss()
    for step in range(steps):
        chosen = [(step * 7919 + 31 * i) % len(spectra) for i in range(batch)]
        x = torch.tensor(np.stack([spectra[i] for i in chosen]))
        y = torch.from_numpy(kinds[chosen])
        loss = criterion(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 50 == 0:
            print(f"step {step} loss {loss.item():.6f}", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--tiny", action="store_true")
    args = parser.parse_args()
    batch, bands, width = (4, 32, 8) if args.tiny else (384, 4096, 32)
    rng = np.random.default_rng(1)
    spectra = rng.standard_normal((1024, bands)).astype(np.float32)
    kinds = (spectra[:, :8].sum(1) > 0).astype(np.int64)
    torch.manual_seed(0)
    train(SpectraModel(bands, width, 2), spectra, kinds, batch, args.steps)


if __name__ == "__main__":
    main()
