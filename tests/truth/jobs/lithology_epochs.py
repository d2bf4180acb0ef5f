"""Names the rock in core pictures; short epochs over a loader with two workers that cut and turn the pictures."""
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset, RandomSampler

from training import arguments, log

ROCKS = 8


class Cores(Dataset):
    """A window of a core picture, turned."""

    def __init__(self, count, side, seed=0):
        rng = np.random.default_rng(seed)
        self.rock = rng.integers(0, ROCKS, count)
        self.picture = rng.standard_normal((count, 3, side + 8, side + 8)).astype(np.float32)
        self.picture += np.sin(np.arange(side + 8) * (1 + self.rock[:, None, None, None])).astype(np.float32)
        self.side = side

    def __len__(self):
        return len(self.rock)

    def __getitem__(self, i):
        y, x, turns = i * 5 % 8, i * 3 % 8, i % 4
        window = self.picture[i, :, y : y + self.side, x : x + self.side]
        return torch.from_numpy(np.rot90(window, turns, (1, 2)).copy()), int(self.rock[i])


def network(width):
    return nn.Sequential(
        nn.Conv2d(3, width, 3, 2, 1),
        nn.BatchNorm2d(width),
        nn.ReLU(),
        nn.Conv2d(width, 2 * width, 3, 2, 1),
        nn.BatchNorm2d(2 * width),
        nn.ReLU(),
        nn.Conv2d(2 * width, 4 * width, 3, 2, 1),
        nn.BatchNorm2d(4 * width),
        nn.ReLU(),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(4 * width, ROCKS),
    )


def main():
    args = arguments(batch=(32, 4), width=(48, 4), side=(64, 16), epoch=(8, 4))
    torch.manual_seed(0)
    data = Cores(args.epoch * args.batch, args.side)
    sampler = RandomSampler(data, generator=torch.Generator().manual_seed(1))
    loader = DataLoader(data, args.batch, sampler=sampler, num_workers=2, drop_last=True)
    model = network(args.width)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, 20, 0.9)
    step = 0
    while step < args.steps:
        for picture, rock in loader:
            loss = F.cross_entropy(model(picture), rock)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            step += 1
            log(step, loss, args)
        schedule.step()


if __name__ == "__main__":
    main()
