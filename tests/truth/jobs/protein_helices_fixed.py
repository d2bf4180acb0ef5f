"""Helix, strand or loop: what each residue of a protein is part of, by a transformer made of torch's own parts."""
import torch
from torch import nn

from training import arguments, log

RESIDUES, SHAPES = 21, 3


class Fold(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.before = nn.LayerNorm(width)
        self.looks = nn.MultiheadAttention(width, heads, batch_first=True)
        self.thinks = nn.Sequential(nn.LayerNorm(width), nn.Linear(width, 2 * width), nn.SiLU(), nn.Linear(2 * width, width))

    def forward(self, x):
        y = self.before(x)
        seen, _ = self.looks(y, y, y, need_weights=False)
        x = x + seen
        return x + self.thinks(x)


class Helices(nn.Module):
    def __init__(self, args):
        super().__init__()
        self.residues = nn.Embedding(RESIDUES, args.width)
        self.nearby = nn.Conv1d(args.width, args.width, 5, padding=2, groups=args.heads)
        self.folds = nn.Sequential(*[Fold(args.width, args.heads) for _ in range(args.layers)])
        self.shapes = nn.Linear(args.width, SHAPES)

    def forward(self, chains):
        x = self.residues(chains)
        x = x + self.nearby(x.mT).mT
        return self.shapes(self.folds(x))


def chains_of(args):
    """All chains (n, length), and what their residues are part of: it follows from the neighbours."""
    generator = torch.Generator().manual_seed(11)
    chains = torch.randint(RESIDUES, (6 * args.batch, args.length), generator=generator)
    return chains, (chains + chains.roll(3, 1) + chains.roll(-4, 1)) // 7 % SHAPES


def main():
    args = arguments(batch=(10, 2), length=(320, 12), width=(128, 16), heads=(4, 2), layers=(2, 2))
    torch.manual_seed(0)
    model = Helices(args)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
    wrong = nn.CrossEntropyLoss()
    chains, shapes = chains_of(args)
    for step in range(1, args.steps + 1):
        rows = torch.arange(args.batch) + step % 6 * args.batch
        loss = wrong(model(chains[rows]).view(-1, SHAPES), shapes[rows].view(-1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
