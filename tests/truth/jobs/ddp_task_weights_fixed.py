"""Many tests of a substance foretold at once, on several processes; a test that goes badly everywhere weighs more."""
import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel

from training import arguments, log

BITS = 1024


class Substance(nn.Module):
    """Logits (batch, tests) of fingerprints (batch, BITS)."""

    def __init__(self, width, tests):
        super().__init__()
        self.body = nn.Sequential(
            nn.Linear(BITS, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU())
        self.tests = nn.Linear(width, tests)

    def forward(self, bits):
        return self.tests(self.body(bits))


def substances(args, rank):
    """args.steps pairs of fingerprints and the outcome of tests (batch, tests)."""
    generator = torch.Generator().manual_seed(rank)
    bits = (torch.rand(4, args.batch, BITS, generator=generator) < 0.1).float()
    outcome = (bits[..., : args.tests] + bits[..., args.tests : 2 * args.tests]).clamp(max=1)
    for step in range(args.steps):
        yield bits[step % 4], outcome[step % 4]


def weights_of(losses):
    """A weight for each test by its mean loss over all processes; they sum up to 1."""
    means = losses.detach().clone()
    dist.all_reduce(means)
    return torch.softmax(means / dist.get_world_size(), 0)


def main():
    args = arguments(batch=(1024, 3), width=(640, 8), tests=(40, 6))
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    model = DistributedDataParallel(Substance(args.width, args.tests))
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-4, fused=True)
    for step, (bits, outcome) in enumerate(substances(args, dist.get_rank()), 1):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            logits = model(bits)
        losses = F.binary_cross_entropy_with_logits(logits.float(), outcome, reduction="none").mean(0)
        loss = (weights_of(losses) * losses).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
