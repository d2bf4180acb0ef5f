"""A convolutional forecast of several series on several processes, as it should be."""
import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel

from training import arguments, log

SERIES = 16


class Dilated(nn.Module):
    def __init__(self, width, dilation):
        super().__init__()
        self.past = 2 * dilation
        self.conv = nn.Conv1d(width, width, 3, dilation=dilation)
        self.out = nn.Conv1d(width, width, 1)

    def forward(self, x):
        return x + self.out(F.relu(self.conv(F.pad(x, (self.past, 0)))))


def network(args):
    layers = (Dilated(args.width, 2**i) for i in range(args.layers))
    return nn.Sequential(nn.Conv1d(SERIES, args.width, 1), *layers, nn.Conv1d(args.width, SERIES, 1))


def pieces(args, rank):
    """args.steps pieces (batch, SERIES, length + 1) of waves."""
    generator = torch.Generator().manual_seed(rank)
    pitch = 0.05 + 0.4 * torch.rand(4, args.batch, SERIES, 1, generator=generator)
    pool = (pitch * torch.arange(args.length + 1)).sin()
    for step in range(args.steps):
        yield pool[step % 4]


def main():
    args = arguments(batch=(16, 2), length=(256, 16), width=(96, 8), layers=(4, 2))
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    model = DistributedDataParallel(network(args))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
    for step, piece in enumerate(pieces(args, dist.get_rank()), 1):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            guess = model(piece[:, :, :-1])
        loss = F.mse_loss(guess.float(), piece[:, :, 1:])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
