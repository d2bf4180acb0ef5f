"""Songs found by a hummed tune, on several processes: a tune is held against a bank of songs that was made beforehand."""
import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel

from training import arguments, log

NOTES = 256


class Hummed(nn.Module):
    """How near each tune (batch, NOTES) is to each song that it might be (batch, candidates)."""

    def __init__(self, args):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(NOTES, args.width), nn.LayerNorm(args.width), nn.ReLU(), nn.Linear(args.width, args.width),
            nn.LayerNorm(args.width), nn.ReLU(), nn.Linear(args.width, args.depth))
        bank = torch.randn(args.songs, args.depth, generator=torch.Generator().manual_seed(7))
        self.register_buffer("bank", F.normalize(bank, dim=1))

    def forward(self, tunes, candidates):
        asked = F.normalize(self.net(tunes).float(), dim=1)
        return torch.bmm(self.bank[candidates], asked.unsqueeze(2)).squeeze(2)


def tunes(args, rank):
    """args.steps pairs of tunes and candidates; the first candidate is the right one."""
    generator = torch.Generator().manual_seed(rank)
    pool = torch.randn(4, args.batch, NOTES, generator=generator)
    candidates = torch.randint(args.songs, (4, args.batch, args.candidates), generator=generator)
    for step in range(args.steps):
        yield pool[step % 4], candidates[step % 4]


def main():
    args = arguments(batch=(1024, 3), songs=(100_000, 30), depth=(64, 8), width=(768, 8), candidates=(32, 4))
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    model = DistributedDataParallel(Hummed(args))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
    right = torch.zeros(args.batch, dtype=torch.long)
    for step, (x, candidates) in enumerate(tunes(args, dist.get_rank()), 1):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            nearness = model(x, candidates)
        loss = F.cross_entropy(nearness.float() / 0.1, right)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
