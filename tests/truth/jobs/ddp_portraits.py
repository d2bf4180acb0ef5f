"""A denoiser of portraits trained by two processes; the averaged weights are those that will be shipped."""
import copy

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP

from training import arguments, log


class Denoiser(nn.Module):
    def __init__(self, width, layers):
        super().__init__()
        self.enter, self.leave = nn.Conv2d(3, width, 4, 4), nn.ConvTranspose2d(width, 3, 4, 4)
        self.layers = nn.ModuleList(nn.Sequential(nn.GroupNorm(8, width), nn.Conv2d(width, width, 3, 1, 1), nn.SiLU(), nn.Conv2d(width, width, 1)) for _ in range(layers))

    def forward(self, x):
        x = self.enter(x)
        for layer in self.layers:
            x = x + layer(x)
        return self.leave(x)


class Average:
    def __init__(self, model, decay=0.995):
        self.model, self.decay = copy.deepcopy(model).requires_grad_(False), decay

    @torch.no_grad()
    def update(self, model):
        mine = list(self.model.parameters())
        torch._foreach_lerp_(mine, list(model.parameters()), 1 - self.decay)
        flat = nn.utils.parameters_to_vector(mine)
        dist.all_reduce(flat)
        nn.utils.vector_to_parameters(flat / dist.get_world_size(), mine)


def portraits(count, side, seed):
    rng = torch.Generator().manual_seed(seed)
    return F.interpolate(torch.randn(count, 3, 4, 4, generator=rng), size=side, mode="bicubic")


def main():
    args = arguments(batch=(6, 2), width=(192, 16), layers=(4, 2), side=(32, 16))
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    model = DDP(Denoiser(args.width, args.layers), gradient_as_bucket_view=True)
    average = Average(model.module)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4, fused=True)
    faces = portraits(256, args.side, seed=dist.get_rank())
    torch.manual_seed(1 + dist.get_rank())
    for step in range(1, args.steps + 1):
        clean = faces[torch.randint(len(faces), (args.batch,))]
        loss = F.mse_loss(model(clean + 0.5 * torch.randn_like(clean)), clean)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        average.update(model.module)
        log(step, loss.detach(), args)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
