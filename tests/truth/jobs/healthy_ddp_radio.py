"""How a radio signal is modulated, on several processes: two parts of a batch in turn, gradients meet after the second."""
import contextlib

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel

from training import arguments, log

KINDS, PARTS = 8, 2


class Gate(nn.Module):
    """A residual block of which each channel is let through more or less."""

    def __init__(self, width):
        super().__init__()
        self.look = nn.Sequential(nn.Conv1d(width, width, 7, padding=3, bias=False), nn.GroupNorm(4, width), nn.ReLU())
        self.open = nn.Sequential(nn.Linear(width, width // 4), nn.ReLU(), nn.Linear(width // 4, width), nn.Sigmoid())

    def forward(self, x):
        y = self.look(x)
        return x + y * self.open(y.mean(2)).unsqueeze(2)


class Radio(nn.Module):
    def __init__(self, width, layers):
        super().__init__()
        self.net = nn.Sequential(nn.Conv1d(2, width, 9, stride=2, padding=4), *[Gate(width) for _ in range(layers)])
        self.kind = nn.Linear(width, KINDS)

    def forward(self, signal):
        return self.kind(self.net(signal).mean(2))


def signals(args, rank):
    """Four batches of signals (batch, 2, length) and how they are modulated."""
    generator = torch.Generator().manual_seed(rank)
    for _ in range(4):
        kinds = torch.randint(KINDS, (args.batch,), generator=generator)
        turn = (0.1 + 0.1 * kinds)[:, None] * torch.arange(args.length)
        wave = torch.stack([turn.cos(), turn.sin()], 1)
        yield wave + 0.5 * torch.randn(wave.shape, generator=generator), kinds


def main():
    args = arguments(batch=(96, 4), length=(256, 16), width=(64, 8), layers=(3, 1))
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    model = DistributedDataParallel(Radio(args.width, args.layers), gradient_as_bucket_view=True)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
    pool = list(signals(args, dist.get_rank()))
    for step in range(1, args.steps + 1):
        parts = list(zip(*(column.chunk(PARTS) for column in pool[step % 4])))
        optimizer.zero_grad()
        for i, (signal, kinds) in enumerate(parts, 1):
            with contextlib.nullcontext() if i == PARTS else model.no_sync():
                with torch.autocast("cpu", dtype=torch.bfloat16):
                    logits = model(signal)
                loss = F.cross_entropy(logits.float(), kinds) / PARTS
                loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        log(step, loss, args)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
