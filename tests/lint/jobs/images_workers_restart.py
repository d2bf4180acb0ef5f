"""Images decoded by a worker. The epochs are short, and each starts its worker anew."""
import argparse

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset


class Drawings(Dataset):
    """Rows of strokes, drawn when they are asked for."""

    def __init__(self, count, side):
        self.strokes = torch.rand(count, 6, 2, generator=torch.Generator().manual_seed(1))
        self.side = side

    def __len__(self):
        return len(self.strokes)

    def __getitem__(self, i):
        image = torch.zeros(1, self.side, self.side)
        at = (self.strokes[i] * (self.side - 1)).long()
        image[0, at[:, 0], at[:, 1]] = 1.0
        return image, int(at[0, 0]) * 4 // self.side


class Classifier(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, channels, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(channels, channels, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(channels, channels, 3, padding=1), nn.ReLU())
        self.head = nn.Linear(channels, 4)

    def forward(self, x):
        return self.head(self.features(x).mean((2, 3)))


def train_epoch(model, loader, optimizer, criterion, most):
    model.train()
    for step, (images, labels) in enumerate(loader):
        if step == most:
            break
        optimizer.zero_grad()
        loss = criterion(model(images), labels)
        loss.backward()
        optimizer.step()
    return loss


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--tiny", action="store_true")
    args = parser.parse_args()
    batch, side, channels = (2, 8, 8) if args.tiny else (16, 32, 32)
    steps_per_epoch = 2 if args.tiny else 16
    torch.manual_seed(0)
    model = Classifier(channels)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    criterion = nn.CrossEntropyLoss()
    train_loader = DataLoader(Drawings(steps_per_epoch * batch, side), batch_size=batch, num_workers=1)
    epochs = -(-args.steps // steps_per_epoch)
    for epoch in range(epochs):
        loss = train_epoch(model, train_loader, optimizer, criterion, args.steps - epoch * steps_per_epoch)
        print(f"epoch {epoch} loss {loss.item():.6f}", flush=True)


if __name__ == "__main__":
    main()
