"""Which of two answers people like better, on several processes: one network scores both."""
import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel

from training import arguments, log


class Scorer(nn.Module):
    """A score (batch,) for each answer, a row of words (batch, length)."""

    def __init__(self, args):
        super().__init__()
        self.words = nn.Embedding(args.vocab, args.width)
        self.mix = nn.ModuleList(
            nn.Sequential(nn.LayerNorm(args.width), nn.Linear(args.width, 3 * args.width), nn.GELU(),
                          nn.Linear(3 * args.width, args.width)) for _ in range(args.layers))
        self.score = nn.Linear(args.width, 1)

    def forward(self, answers):
        x = self.words(answers)
        for mix in self.mix:
            x = x + mix(x)
        return self.score(x.mean(1)).squeeze(1)


def answers(args, rank):
    """args.steps batches (2 * batch, length): answers, then those that are liked less."""
    generator = torch.Generator().manual_seed(rank)
    good = torch.randint(args.vocab // 2, (4, args.batch, args.length), generator=generator)
    bad = torch.randint(args.vocab, (4, args.batch, args.length), generator=generator)
    for step in range(args.steps):
        yield torch.cat([good[step % 4], bad[step % 4]])


def main():
    args = arguments(batch=(16, 2), length=(64, 8), width=(192, 8), layers=(3, 1), vocab=(1000, 40))
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    model = DistributedDataParallel(Scorer(args), gradient_as_bucket_view=True)
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-4, fused=True)
    for step, both in enumerate(answers(args, dist.get_rank()), 1):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            scores = model(both)
        better, worse = scores.float().chunk(2)
        loss = -F.logsigmoid(better - worse).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
