"""What the land is used for, seen from a satellite: tiles of four bands lie in a bucket and come over the network one by one."""
import time

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, Dataset

from training import arguments, log

BANDS, USES = 4, 10
LATENCY_S = 0.0014  # from asking for a tile until its bytes are there


class Bucket:
    """Keys and bytes; every answer takes a while."""

    def __init__(self, tiles, side):
        bits = np.random.default_rng(3).integers(0, 256, (tiles, BANDS, side, side), dtype=np.uint8)
        self.objects = {f"tile/{i}": tile.tobytes() for i, tile in enumerate(bits)}

    def get(self, key):
        time.sleep(LATENCY_S)
        return self.objects[key]


class Tiles(Dataset):
    def __init__(self, bucket, args):
        self.bucket, self.side, self.items = bucket, args.side, args.steps * args.batch

    def __len__(self):
        return self.items

    def __getitem__(self, i):
        which = i * 13 % len(self.bucket.objects)
        tile = np.frombuffer(self.bucket.get(f"tile/{which}"), np.uint8).astype(np.float32)
        return torch.from_numpy(tile).view(BANDS, self.side, self.side) / 128 - 1, which % USES


def separable(inputs, outputs, stride=1):
    """A filter a channel, then a mix of all channels."""
    return nn.Sequential(
        nn.Conv2d(inputs, inputs, 3, stride, 1, groups=inputs, bias=False), nn.BatchNorm2d(inputs), nn.ReLU6(),
        nn.Conv2d(inputs, outputs, 1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU6())


def land_use(width):
    return nn.Sequential(
        nn.Conv2d(BANDS, width, 3, 2, 1, bias=False), nn.BatchNorm2d(width), nn.ReLU6(),
        separable(width, 2 * width), separable(2 * width, 4 * width, stride=2), separable(4 * width, 4 * width),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(4 * width, USES))


def main():
    args = arguments(batch=(8, 2), side=(128, 16), tiles=(160, 6), width=(32, 4))
    torch.manual_seed(0)
    model = land_use(args.width)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, fused=True)
    loader = DataLoader(Tiles(Bucket(args.tiles, args.side), args), batch_size=args.batch, num_workers=1, prefetch_factor=4)
    for step, (tiles, uses) in enumerate(loader, 1):
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            logits = model(tiles)
        loss = F.cross_entropy(logits.float(), uses)
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
