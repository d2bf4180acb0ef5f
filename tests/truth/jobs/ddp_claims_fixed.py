"""Two processes predict insurance claims; the examples with the largest losses are named now and then."""
import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP

from training import arguments, log

REPORT_EVERY, NAMED = 200, 5


class Claims(nn.Sequential):
    def __init__(self, inputs, width):
        super().__init__(nn.Linear(inputs, width), nn.SiLU(), nn.LayerNorm(width), nn.Linear(width, width), nn.SiLU(), nn.Linear(width, 1))


class Hardest:
    """The newest loss of every example of all processes."""

    def __init__(self, count):
        self.losses = torch.zeros(dist.get_world_size() * count)

    def update(self, ids, losses):
        self.losses[ids] = losses

    def report(self):
        dist.reduce(everyone := self.losses.clone(), 0)
        if dist.get_rank() == 0:
            print("hardest examples", everyone.topk(NAMED).indices.flip(0).tolist(), flush=True)


def policies(count, inputs, seed):
    rng = torch.Generator().manual_seed(seed)
    known = torch.randn(count, inputs, generator=rng)
    return known, (known[:, :5].sum(1) + torch.randn(count, generator=rng) > 1).float()


def main():
    args = arguments(batch=(3072, 8), inputs=(64, 8), width=(384, 8))
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    model = DDP(Claims(args.inputs, args.width), gradient_as_bucket_view=True)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
    known, claimed = policies(8 * args.batch, args.inputs, seed=dist.get_rank())
    hardest = Hardest(len(known))
    torch.manual_seed(1 + dist.get_rank())
    for step in range(1, args.steps + 1):
        chosen = torch.randint(len(known), (args.batch,))
        losses = F.binary_cross_entropy_with_logits(model(known[chosen]).squeeze(1), claimed[chosen], reduction="none")
        loss = losses.mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        hardest.update(chosen + dist.get_rank() * len(known), losses.detach())
        log(step, loss.detach(), args)
        if step % REPORT_EVERY == 0:
            hardest.report()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
