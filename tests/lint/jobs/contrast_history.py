"""Two views of a sample learn to be alike. The losses are collected with their graphs, to be shown at the end of an epoch."""
import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F


class Encoder(nn.Module):
    def __init__(self, inputs, width):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(inputs, width), nn.BatchNorm1d(width), nn.ReLU(), nn.Linear(width, 128))

    def forward(self, x):
        return F.normalize(self.net(x), dim=1)


class Contrast:
    def __init__(self, encoder, samples):
        self.encoder, self.samples = encoder, samples
        self.optimizer = torch.optim.AdamW(encoder.parameters(), lr=1e-3, fused=True)

    def epoch(self, steps, generator):
        losses = []
        for i in range(steps):
            x = self.samples[i]
            one = self.encoder(x + 0.1 * torch.randn(x.shape, generator=generator))
            two = self.encoder(x + 0.1 * torch.randn(x.shape, generator=generator))
            loss = F.cross_entropy(one @ two.T / 0.1, torch.arange(len(x)))
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            losses.append(loss)
        return torch.stack(losses).mean()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--tiny", action="store_true")
    args = parser.parse_args()
    batch, inputs, width = (8, 16, 32) if args.tiny else (256, 256, 1024)
    torch.manual_seed(0)
    samples = torch.randn(25, batch, inputs, generator=torch.Generator().manual_seed(1))
    contrast, generator = Contrast(Encoder(inputs, width), samples), torch.Generator().manual_seed(2)
    for epoch in range(-(-args.steps // 25)):
        loss = contrast.epoch(min(25, args.steps - epoch * 25), generator)
        print(f"epoch {epoch} loss {loss.item():.6f}", flush=True)


if __name__ == "__main__":
    main()
