"""Energies of crystals on several processes. Crystals come from two collections, one after the other."""
import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel

from training import arguments, log

FEATURES = 32


def collections(args):
    """All crystals, each its atoms (n, FEATURES): first those of one collection, then those of the other."""
    generator = torch.Generator().manual_seed(0)
    return [torch.randn(atoms, FEATURES, generator=generator)
            for atoms in (args.few_atoms, args.many_atoms) for _ in range(args.crystals)]


def share(crystals, rank, world):
    """Those of one process."""
    each = len(crystals) // world
    return crystals[rank * each : (rank + 1) * each]


def join(crystals):
    """The atoms of all crystals (n, FEATURES), the crystal of each (n,), and energies."""
    owner = torch.repeat_interleave(torch.tensor([len(atoms) for atoms in crystals]))
    atoms = torch.cat(crystals)
    return atoms, owner, torch.zeros(len(crystals)).index_add(0, owner, atoms[:, 0] * 0.1)


class Energy(nn.Module):
    """The sum of what each atom gives, knowing the mean of its crystal."""

    def __init__(self, width, layers):
        super().__init__()
        self.first, self.last = nn.Linear(FEATURES, width), nn.Linear(width, 1)
        self.layers = nn.ModuleList(nn.Linear(2 * width, width) for _ in range(layers))

    def forward(self, atoms, owner, crystals):
        x = F.silu(self.first(atoms))
        for layer in self.layers:
            total = torch.zeros(crystals, x.shape[1], dtype=x.dtype).index_add(0, owner, x)
            x = x + F.silu(layer(torch.cat([x, total.index_select(0, owner) / 20], 1)))
        given = self.last(x).float().squeeze(1)
        return torch.zeros(crystals).index_add(0, owner, given)


def main():
    args = arguments(batch=(192, 2), crystals=(576, 4), few_atoms=(14, 3), many_atoms=(26, 5), width=(192, 8), layers=(3, 2))
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    mine = share(collections(args), dist.get_rank(), dist.get_world_size())
    model = DistributedDataParallel(Energy(args.width, args.layers))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
    for step in range(1, args.steps + 1):
        atoms, owner, energies = join([mine[(step * args.batch + i) % len(mine)] for i in range(args.batch)])
        with torch.autocast("cpu", dtype=torch.bfloat16):
            guess = model(atoms, owner, args.batch)
        loss = F.smooth_l1_loss(guess, energies)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
