"""Two processes learn to pair sketches with photographs; the short vectors of both serve as negatives, gradients are accumulated."""
import contextlib

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP

from training import arguments, log

PARTS = 2


class Twins(nn.Module):
    def __init__(self, inputs, width, features):
        super().__init__()
        self.sketch, self.photo = (
            nn.Sequential(nn.Linear(inputs, width), nn.GELU(), nn.LayerNorm(width), nn.Linear(width, width), nn.GELU(), nn.Linear(width, features))
            for _ in range(2)
        )
        self.sharp = nn.Parameter(torch.tensor(2.0))

    def forward(self, sketch, photo):
        return F.normalize(self.sketch(sketch), dim=1), F.normalize(self.photo(photo), dim=1), self.sharp.exp()


def everywhere(mine):
    """Of all processes; gradients flow into one's own."""
    parts = [torch.empty_like(mine) for _ in range(dist.get_world_size())]
    dist.all_gather(parts, mine.detach())
    parts[dist.get_rank()] = mine
    return torch.cat(parts)


def main():
    args = arguments(batch=(384, 4), inputs=(256, 8), width=(384, 12), features=(32, 4))
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    model = DDP(Twins(args.inputs, args.width, args.features), gradient_as_bucket_view=True)
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-4, fused=True)
    rng = torch.Generator().manual_seed(1 + dist.get_rank())
    things = torch.randn(20 * args.batch, args.inputs, generator=rng)
    right = torch.arange(args.batch) + dist.get_rank() * args.batch
    for step in range(1, args.steps + 1):
        optimizer.zero_grad()
        total = 0.0
        for part in range(PARTS):
            with model.no_sync() if part < PARTS - 1 else contextlib.nullcontext():
                thing = things[torch.randint(len(things), (args.batch,), generator=rng)]
                noise = 0.5 * torch.randn(2, *thing.shape, generator=rng)
                sketch, photo, sharp = model(thing + noise[0], thing + noise[1])
                loss = F.cross_entropy(sharp * sketch @ everywhere(photo).T, right) / PARTS
                loss.backward()
                total = total + loss.detach()
        optimizer.step()
        log(step, total, args)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
