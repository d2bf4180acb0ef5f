"""Two processes learn how much of the sky is covered from pictures that are cut out of panoramas anew each time."""
import numpy as np
import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP

from training import arguments, log


class Panoramas:
    """Skies as bytes; a picture is a window of one, brightened and normalised."""

    def __init__(self, count, side, seed=0):
        rng = np.random.default_rng(seed)
        self.side, self.cover = side, rng.random(count, dtype=np.float32)
        self.sky = rng.integers(0, 200, (count, 3, 2 * side, 2 * side), dtype=np.uint8)
        self.sky[:, :, ::2] += (50 * self.cover[:, None, None, None]).astype(np.uint8)

    def picture(self, i):
        y, x, light = i * 31 % self.side, i * 17 % self.side, 0.8 + i * 7 % 40 / 100
        window = self.sky[i % len(self.sky), :, y : y + self.side, x : x + self.side].astype(np.float32)
        window = np.clip(window * light, 0, 255) / 255
        return (window - window.mean((1, 2), keepdims=True)) / (window.std((1, 2), keepdims=True) + 1e-3)

    def batch(self, indices):
        picture = torch.from_numpy(np.stack([self.picture(i) for i in indices]))
        return picture, torch.from_numpy(self.cover[[i % len(self.cover) for i in indices]])


def network(width):
    return nn.Sequential(
        nn.Conv2d(3, width, 3, 2, 1),
        nn.ReLU(),
        nn.Conv2d(width, 2 * width, 3, 2, 1),
        nn.GroupNorm(4, 2 * width),
        nn.ReLU(),
        nn.Conv2d(2 * width, 4 * width, 3, 2, 1),
        nn.ReLU(),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(4 * width, 1),
    )


def load(skies, step, args, rank, world):
    """This process's pictures of the step, and how much of their sky is covered."""
    picture = torch.empty(world * args.batch, 3, args.side, args.side)
    cover = torch.empty(world * args.batch)
    if rank == 0:
        picture, cover = skies.batch(range(step * world * args.batch, (step + 1) * world * args.batch))
    dist.broadcast(picture, 0)
    dist.broadcast(cover, 0)
    return picture.chunk(world)[rank], cover.chunk(world)[rank]


def main():
    args = arguments(batch=(18, 2), side=(80, 16), width=(24, 4), skies=(100, 10))
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(0)
    skies = Panoramas(args.skies, args.side)
    model = DDP(network(args.width), gradient_as_bucket_view=True)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
    for step in range(1, args.steps + 1):
        picture, cover = load(skies, step, args, rank, world)
        loss = F.mse_loss(model(picture).squeeze(1), cover)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
