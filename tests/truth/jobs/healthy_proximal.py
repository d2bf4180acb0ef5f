"""Proximal updates of a policy from stored play: shuffled parts of it, ratios kept near 1, gradients kept small."""
import torch
import torch.nn as nn
import torch.nn.functional as F

from training import arguments, log

SEEN, MOVES = 96, 8


class Player(nn.Module):
    """Logits of moves (batch, MOVES) and what a position is worth (batch,)."""

    def __init__(self, width):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(SEEN, width), nn.SiLU(), nn.Linear(width, width), nn.SiLU())
        self.moves, self.worth = nn.Linear(width, MOVES), nn.Linear(width, 1)

    def forward(self, seen):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            x = self.body(seen)
            return self.moves(x).float(), self.worth(x).float().squeeze(1)


def stored_play(model, args):
    """What was seen, moves, how likely they were, and what came of them."""
    generator = torch.Generator().manual_seed(0)
    seen = torch.randn(8 * args.batch, SEEN, generator=generator)
    with torch.no_grad():
        likely = model(seen)[0].log_softmax(1)
    moves = torch.multinomial(likely.exp(), 1, generator=generator)
    returns = seen.gather(1, moves).squeeze(1)
    return seen, moves, likely.gather(1, moves).squeeze(1), returns


def proximal_loss(logits, worth, moves, likely_then, returns):
    likely = logits.log_softmax(1)
    ratio = (likely.gather(1, moves).squeeze(1) - likely_then).exp()
    better = F.layer_norm((returns - worth).detach(), returns.shape)
    gain = torch.minimum(ratio * better, ratio.clamp(0.8, 1.2) * better).mean()
    return F.mse_loss(worth, returns) - gain + 0.01 * (likely.exp() * likely).sum(1).mean()


def main():
    args = arguments(batch=(3072, 8), width=(1024, 8))
    torch.manual_seed(0)
    model = Player(args.width)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-4, fused=True)
    play = stored_play(model, args)
    generator = torch.Generator().manual_seed(1)
    for step in range(1, args.steps + 1):
        if step % 8 == 1:
            parts = torch.randperm(8 * args.batch, generator=generator).chunk(8)
        seen, *rest = (column[parts[step % 8]] for column in play)
        loss = proximal_loss(*model(seen), *rest)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 0.5)
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
