"""Two processes learn the flow of glaciers from radar strips: DistributedDataParallel over gloo."""
import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.distributed.algorithms.ddp_comm_hooks import default_hooks
from torch.nn.parallel import DistributedDataParallel as DDP

from training import arguments, log


class Strip(nn.Module):
    def __init__(self, inputs, width, layers):
        super().__init__()
        self.enter = nn.Linear(inputs, width)
        self.layers = nn.ModuleList(nn.Sequential(nn.LayerNorm(width), nn.Linear(width, 2 * width), nn.SiLU(), nn.Linear(2 * width, width)) for _ in range(layers))
        self.leave = nn.Linear(width, 2)

    def forward(self, x):
        x = self.enter(x)
        for layer in self.layers:
            x = x + layer(x)
        return self.leave(x)


def strips(count, inputs, seed):
    rng = torch.Generator().manual_seed(seed)
    strip = torch.randn(count, inputs, generator=rng)
    flow = torch.stack([strip[:, ::2].mean(1), strip[:, 1::2].square().mean(1)], 1)
    return strip, flow


def main():
    args = arguments(batch=(144, 4), inputs=(256, 8), width=(448, 12), layers=(4, 2))
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    model = DDP(Strip(args.inputs, args.width, args.layers), gradient_as_bucket_view=True)
    model.register_comm_hook(None, default_hooks.fp16_compress_hook)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4, fused=True)
    strip, flow = strips(32 * args.batch, args.inputs, seed=dist.get_rank())
    for step in range(1, args.steps + 1):
        at = step % 32 * args.batch
        loss = F.mse_loss(model(strip[at : at + args.batch]), flow[at : at + args.batch])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss.detach(), args)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
