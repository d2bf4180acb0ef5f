"""A PointNet that names what a cloud of points is; each cloud is a file."""
import os
import tempfile

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

from training import arguments, log

CLASSES = 8


def write_clouds(folder, args):
    """args.clouds files as a scanner leaves them: points in millimetres, compressed."""
    rng = np.random.default_rng(0)
    for i in range(args.clouds):
        stretched = rng.standard_normal((args.points, 3)) * (1 + i % CLASSES * np.array([0.1, 0.3, 0.5]))
        np.savez_compressed(os.path.join(folder, f"{i}.npz"), points=np.rint(300 * stretched).astype(np.int16))


class Clouds(Dataset):
    """Item i: points (points, 3) around their middle, of length 1 at most, and the class."""

    def __init__(self, folder, args):
        self.folder, self.clouds, self.items = folder, args.clouds, args.steps * args.batch

    def __len__(self):
        return self.items

    def load(self, i):
        with np.load(os.path.join(self.folder, f"{i}.npz")) as file:
            points = file["points"].astype(np.float32)
        points -= points.mean(0)
        points /= np.linalg.norm(points, axis=1).max()
        return torch.from_numpy(points)

    def __getitem__(self, i):
        i = i * 37 % self.clouds
        return self.load(i), i % CLASSES


class PointNet(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.each = nn.Sequential(
            nn.Linear(3, width), nn.ReLU(), nn.Linear(width, 2 * width), nn.ReLU(), nn.Linear(2 * width, 4 * width))
        self.all = nn.Sequential(nn.Linear(4 * width, 2 * width), nn.ReLU(), nn.Linear(2 * width, CLASSES))

    def forward(self, points):
        return self.all(self.each(points).amax(1))


def main():
    args = arguments(batch=(10, 2), points=(1024, 32), clouds=(192, 8), width=(144, 8))
    torch.manual_seed(0)
    model = PointNet(args.width)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
    with tempfile.TemporaryDirectory() as folder:
        write_clouds(folder, args)
        loader = DataLoader(Clouds(folder, args), batch_size=args.batch)
        for step, (points, classes) in enumerate(loader, 1):
            with torch.autocast("cpu", dtype=torch.bfloat16):
                logits = model(points)
            loss = F.cross_entropy(logits.float(), classes)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            log(step, loss, args)


if __name__ == "__main__":
    main()
