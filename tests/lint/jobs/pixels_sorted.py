"""A segmentation that learns from the worst pixels of each picture. All pixels are sorted to find them."""
import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F


class Segmenter(nn.Module):
    def __init__(self, channels, classes):
        super().__init__()
        self.down = nn.Conv2d(3, channels, 3, stride=2, padding=1)
        self.middle = nn.Conv2d(channels, channels, 3, padding=1)
        self.up = nn.ConvTranspose2d(channels, classes, 2, stride=2)

    def forward(self, x):
        return self.up(F.relu(self.middle(F.relu(self.down(x)))))


def worst_pixels(logits, labels, share):
    """The mean loss of the hardest share of each picture's pixels."""
    losses = F.cross_entropy(logits, labels, reduction="none").flatten(1)
    count = int(share * losses.shape[1]) + 1
    hardest = torch.sort(losses, dim=1, descending=True)[0][:, :count]
    return hardest.mean()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--tiny", action="store_true")
    args = parser.parse_args()
    batch, side, channels = (1, 16, 8) if args.tiny else (4, 128, 16)
    torch.manual_seed(0)
    model = Segmenter(channels, 4)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
    images = torch.randn(8, batch, 3, side, side, generator=torch.Generator().manual_seed(1))
    masks = (images.mean(2) * 3).long().remainder(4)
    for step in range(args.steps):
        loss = worst_pixels(model(images[step % 8]), masks[step % 8], 0.01)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 50 == 0:
            print(f"step {step} loss {loss.item():.6f}", flush=True)


if __name__ == "__main__":
    main()
