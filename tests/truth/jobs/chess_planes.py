"""Who is better in a chess position: a small residual network that sees planes of pieces. Positions are FEN, a line each."""
import random

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

from training import arguments, log

PIECES, WORTH = "PNBRQKpnbrqk", [1, 3, 3, 5, 9, 0, -1, -3, -3, -5, -9, 0]


def some_fen(rng):
    """A board with 20 to 32 pieces anywhere, and who moves."""
    squares = ["1"] * 64
    for at in rng.sample(range(64), rng.randint(20, 32)):
        squares[at] = rng.choice(PIECES)
    rows = ("".join(squares[i : i + 8]) for i in range(0, 64, 8))
    return "/".join(rows) + " " + rng.choice("wb") + " - - 0 1"


def planes(fen):
    """(13, 8, 8): where the pieces of each kind stand, and who moves."""
    board, mover, *_ = fen.split()
    seen = np.zeros((len(PIECES) + 1, 8, 8), dtype=np.float32)
    for y, row in enumerate(board.split("/")):
        x = 0
        for sign in row:
            if sign.isdigit():
                x += int(sign)
            else:
                seen[PIECES.index(sign), y, x] = 1
                x += 1
    seen[-1] = mover == "w"
    return torch.from_numpy(seen)


class Positions(Dataset):
    """Item i: a position and a judgement of it between -1 and 1."""

    def __init__(self, args):
        rng = random.Random(0)
        self.items = args.steps * args.batch
        self.fens = [some_fen(rng) for _ in range(args.positions)]
        sums = [sum(WORTH[PIECES.index(sign)] for sign in fen.split()[0] if sign in PIECES) for fen in self.fens]
        self.judgements = torch.tensor(sums).float().mul(0.1).tanh()

    def __len__(self):
        return self.items

    def __getitem__(self, i):
        i %= len(self.fens)
        return planes(self.fens[i]), self.judgements[i]


class Residual(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.first, self.second = (nn.Conv2d(width, width, 3, padding=1, bias=False) for _ in range(2))
        self.norm1, self.norm2 = nn.BatchNorm2d(width), nn.BatchNorm2d(width)

    def forward(self, x):
        return F.relu(x + self.norm2(self.second(F.relu(self.norm1(self.first(x))))))


class Judge(nn.Sequential):
    def __init__(self, width, layers):
        super().__init__(
            nn.Conv2d(len(PIECES) + 1, width, 3, padding=1), *(Residual(width) for _ in range(layers)),
            nn.Conv2d(width, 4, 1), nn.Flatten(), nn.Linear(256, 1), nn.Tanh())


def main():
    args = arguments(batch=(384, 4), positions=(6144, 32), width=(48, 8), layers=(2, 1))
    torch.manual_seed(0)
    model = Judge(args.width, args.layers)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
    for step, (seen, judgement) in enumerate(DataLoader(Positions(args), batch_size=args.batch), 1):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            guess = model(seen)
        loss = F.mse_loss(guess.float().squeeze(1), judgement)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
