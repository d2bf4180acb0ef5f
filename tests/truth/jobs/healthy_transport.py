"""Matches cells before and after a drug: a network carries them over, and rounds of Sinkhorn tell how far off it is."""
import torch
import torch.nn as nn

from training import arguments, log

BLUR, ROUNDS = 0.2, 8


class Carry(nn.Module):
    def __init__(self, genes, width, layers):
        super().__init__()
        self.enter, self.leave = nn.Linear(genes, width), nn.Linear(width, genes)
        self.blocks = nn.ModuleList(
            nn.Sequential(nn.LayerNorm(width), nn.Linear(width, width), nn.SiLU(), nn.Linear(width, width)) for _ in range(layers)
        )

    def forward(self, cells):
        x = self.enter(cells)
        for block in self.blocks:
            x = x + block(x)
        return cells + self.leave(x)


def transport(a, b):
    """Cost of moving the cells a onto b, softened by BLUR."""
    cost = (a.square().sum(1, keepdim=True) + b.square().sum(1) - 2 * a @ b.T) / a.shape[1]
    with torch.no_grad():
        scores, v = -cost / BLUR, torch.zeros(len(b))
        for _ in range(ROUNDS):
            u = -torch.logsumexp(scores + v, 1)
            v = -torch.logsumexp(scores + u[:, None], 0)
        plan = (scores + u[:, None] + v).exp()
    return (plan * cost).sum() / len(a)


def main():
    args = arguments(batch=(448, 8), genes=(96, 6), width=(384, 8), layers=(4, 2))
    torch.manual_seed(0)
    model = Carry(args.genes, args.width, args.layers)
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-4, fused=True)
    before = torch.randn(30 * args.batch, args.genes)
    after = 0.7 * torch.randn(30 * args.batch, args.genes) + torch.randn(args.genes)
    for step in range(1, args.steps + 1):
        chosen = torch.randint(len(before), (2, args.batch))
        loss = transport(model(before[chosen[0]]), after[chosen[1]])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
