"""Sounds from a loader that pins its batches; the copies to the device do not use that."""
import argparse

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset


class Tones(Dataset):
    def __init__(self, count, length):
        self.pitch = torch.rand(count, generator=torch.Generator().manual_seed(1))
        self.time = torch.linspace(0, 100, length)

    def __len__(self):
        return len(self.pitch)

    def __getitem__(self, i):
        return torch.sin(self.time * (1 + self.pitch[i])).unsqueeze(0), int(self.pitch[i] * 8)


class Listener(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv1d(1, channels, 9, stride=2), nn.ReLU(), nn.Conv1d(channels, channels, 9, stride=2), nn.ReLU(),
            nn.Conv1d(channels, channels, 9), nn.ReLU())
        self.head = nn.Linear(channels, 8)

    def forward(self, x):
        return self.head(self.layers(x).mean(2))


def train(model, loader, optimizer, criterion, device):
    for step, (sound, pitch) in enumerate(loader):
        sound = sound.to(device)
        pitch = pitch.to(device)
        loss = criterion(model(sound), pitch)
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
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    batch, length, channels = (2, 128, 8) if args.tiny else (16, 768, 40)
    torch.manual_seed(0)
    model = Listener(channels).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
    loader = DataLoader(Tones(min(args.steps, 100_000) * batch, length), batch_size=batch, pin_memory=True, num_workers=1)
    train(model, loader, optimizer, nn.CrossEntropyLoss(), device)


if __name__ == "__main__":
    main()
