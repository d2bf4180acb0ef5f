"""A card player learns from whole games: what a move was worth is what came after it, later gains count less."""
import torch
import torch.nn as nn
import torch.nn.functional as F

from training import arguments, log

SEEN, MOVES, DISCOUNT = 64, 12, 0.98


class Policy(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(SEEN, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(),
            nn.Linear(width, MOVES))

    def forward(self, seen):
        return self.net(seen)


def games(args):
    """args.steps times: what was seen (batch * length, SEEN), moves (batch * length,), and gains of each game's moves, lists."""
    generator = torch.Generator().manual_seed(0)
    pool = []
    for _ in range(6):
        seen = torch.randn(args.batch * args.length, SEEN, generator=generator)
        moves = torch.randint(MOVES, (len(seen),), generator=generator)
        gains = seen.gather(1, moves[:, None]).view(args.batch, args.length)
        pool.append((seen, moves, gains.tolist()))
    for step in range(args.steps):
        yield pool[step % len(pool)]


def returns_of(gains):
    """For each move of a game what came after it."""
    returns, later = [], torch.tensor(0.0)
    for gain in reversed(gains):
        later = torch.tensor(gain) + DISCOUNT * later
        returns.insert(0, later)
    return torch.stack(returns)


def main():
    args = arguments(batch=(24, 2), length=(30, 5), width=(1536, 16))
    torch.manual_seed(0)
    model = Policy(args.width)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-4, fused=True)
    for step, (seen, moves, gains) in enumerate(games(args), 1):
        returns = torch.cat([returns_of(game) for game in gains])
        worth = (returns - returns.mean()) / (returns.std() + 1e-6)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            logits = model(seen)
        loss = (worth * F.cross_entropy(logits.float(), moves, reduction="none")).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
