"""Where jets of particles come from: each particle by itself, then all of them together."""
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.utils.rnn import pad_sequence

from training import arguments, log

MEASURED, PARTICLES, ORIGINS = 4, 8, 5


class Jets(nn.Module):
    """Origins of jets: kinds (batch, particles), 0 where there is none, and what was measured of them."""

    def __init__(self, width):
        super().__init__()
        self.kinds = nn.Embedding(PARTICLES, width, padding_idx=0)
        self.measured = nn.Linear(MEASURED, width)
        self.each = nn.Sequential(
            nn.GELU(), nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, 2 * width), nn.GELU(),
            nn.Linear(2 * width, width))
        self.together = nn.Sequential(nn.Linear(width, width), nn.GELU(), nn.Linear(width, ORIGINS))

    def forward(self, kinds, measured):
        x = self.each(self.kinds(kinds) + self.measured(measured)).float()
        return self.together((x * (kinds > 0).unsqueeze(2)).sum(1) / 50)


def jets(args, count=512):
    """Jets of many sizes: (kinds, measured, origin)."""
    generator = torch.Generator().manual_seed(0)
    for i in range(count):
        size = int(torch.randint(args.most // 8, args.most * 13 // 16, (), generator=generator))
        measured = torch.randn(size, MEASURED, generator=generator)
        kinds = torch.randint(1, PARTICLES, (size,), generator=generator)
        yield kinds, measured + i % ORIGINS * 0.2, i % ORIGINS


def batch_of(rows, most):
    """Jets, filled up with nothing until each has room for as many particles as any has."""
    kinds, measured, origins = zip(*rows)
    kinds, measured = pad_sequence(kinds, batch_first=True), pad_sequence(measured, batch_first=True)
    room = most - kinds.shape[1]
    return F.pad(kinds, (0, room)), F.pad(measured, (0, 0, 0, room)), torch.tensor(origins)


def main():
    args = arguments(batch=(128, 2), most=(128, 16), width=(160, 8))
    torch.manual_seed(0)
    model = Jets(args.width)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
    pool = list(jets(args))
    for step in range(1, args.steps + 1):
        at = step * args.batch % len(pool)
        kinds, measured, origins = batch_of(pool[at : at + args.batch], args.most)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            logits = model(kinds, measured)
        loss = F.cross_entropy(logits.float(), origins)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
