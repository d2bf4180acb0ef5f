"""A forecast of many series on several processes; each has its shard."""
import numpy as np
import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel

from training import arguments, log


def make_series(rank, args):
    """Pieces (batch, length + 1, series) of waves, as bytes."""
    rng = np.random.default_rng(rank)
    at = np.arange(args.length + 1)[None, :, None]
    for _ in range(8):
        pitch = rng.uniform(0.05, 0.5, (args.batch, 1, args.series))
        yield (np.sin(at * pitch) + 0.1 * rng.standard_normal(pitch.shape)).astype(np.float32).tobytes()


def read_piece(piece, args):
    values = np.frombuffer(piece, dtype=np.float32)
    return torch.from_numpy(values.reshape(args.batch, args.length + 1, args.series).copy())


class Forecast(nn.Module):
    """Each value of each series by those before."""

    def __init__(self, series, width):
        super().__init__()
        self.gru = nn.GRU(series, width, batch_first=True)
        self.head = nn.Sequential(nn.Linear(width, width), nn.ReLU(), nn.Linear(width, series))

    def forward(self, x):
        return self.head(self.gru(x)[0])


def main():
    args = arguments(batch=(32, 2), length=(64, 8), series=(192, 4), width=(192, 8))
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    rank = dist.get_rank()
    pieces = list(make_series(rank, args))
    model = DistributedDataParallel(Forecast(args.series, args.width))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
    for step in range(1, args.steps + 1):
        x = read_piece(pieces[step % len(pieces)], args)
        loss = F.mse_loss(model(x[:, :-1]), x[:, 1:])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
