"""Two processes train a phoneme recogniser of many thin layers; gradients are clipped to a common norm."""
import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP

from training import arguments, log

PHONEMES, BANDS = 40, 64
LONGEST = 1.0


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.wide, self.narrow = nn.Linear(2 * width, 2 * width), nn.Linear(2 * width, width)

    def forward(self, x):
        h = self.norm(x)
        return x + self.narrow(F.gelu(self.wide(torch.cat([h, h.roll(1, 1)], -1))))


class Recogniser(nn.Module):
    def __init__(self, width, layers):
        super().__init__()
        self.enter = nn.Linear(BANDS, width)
        self.blocks = nn.Sequential(*[Block(width) for _ in range(layers)])
        self.leave = nn.Linear(width, PHONEMES)

    def forward(self, x):
        return self.leave(self.blocks(self.enter(x)))


def speech(count, frames, seed):
    rng = torch.Generator().manual_seed(seed)
    said = torch.randint(PHONEMES, (count, frames // 4), generator=rng).repeat_interleave(4, 1)
    sound = torch.randn(PHONEMES, BANDS, generator=torch.Generator().manual_seed(99))
    return sound[said] + torch.randn(count, frames, BANDS, generator=rng), said


def main():
    args = arguments(batch=(9, 2), frames=(100, 12), width=(96, 8), layers=(8, 2))
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    model = DDP(Recogniser(args.width, args.layers), gradient_as_bucket_view=True)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
    sounds, said = speech(16 * args.batch, args.frames, seed=dist.get_rank())
    for step in range(1, args.steps + 1):
        at = step % 16 * args.batch
        scores = model(sounds[at : at + args.batch])
        loss = F.cross_entropy(scores.flatten(0, 1), said[at : at + args.batch].flatten())
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), LONGEST)
        optimizer.step()
        log(step, loss.detach(), args)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
