"""A small convolutional classifier, all in one loop. Somebody was short of memory once: garbage is collected in every step."""
import argparse
import gc

import torch
import torch.nn as nn

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=200)
parser.add_argument("--tiny", action="store_true")
args = parser.parse_args()

torch.manual_seed(0)
batch, side, channels = (2, 8, 8) if args.tiny else (32, 32, 32)
model = nn.Sequential(
    nn.Conv2d(3, channels, 3, padding=1), nn.BatchNorm2d(channels), nn.ReLU(), nn.MaxPool2d(2),
    nn.Conv2d(channels, 2 * channels, 3, padding=1), nn.BatchNorm2d(2 * channels), nn.ReLU(), nn.MaxPool2d(2),
    nn.Conv2d(2 * channels, 2 * channels, 3, padding=1), nn.BatchNorm2d(2 * channels), nn.ReLU(),
    nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(2 * channels, 10))
optimizer = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9)
criterion = nn.CrossEntropyLoss()
images = torch.randn(16, batch, 3, side, side)
labels = (images.mean((2, 3, 4)) * 40).long().remainder(10)

for step in range(args.steps):
    optimizer.zero_grad()
    loss = criterion(model(images[step % 16]), labels[step % 16])
    loss.backward()
    optimizer.step()
    gc.collect()
    if step % 50 == 0:
        print(f"step {step} loss {loss.item():.6f}", flush=True)
