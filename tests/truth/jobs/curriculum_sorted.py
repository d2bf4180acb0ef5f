"""Prices of houses by tables of figures; easy houses first, harder ones as training goes on."""
import torch
import torch.nn as nn
import torch.nn.functional as F

from training import arguments, log

FIGURES = 64


class Residual(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.net = nn.Sequential(nn.BatchNorm1d(width), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, width))

    def forward(self, x):
        return x + self.net(x)


def network(args):
    return nn.Sequential(
        nn.Linear(FIGURES, args.width), *(Residual(args.width) for _ in range(args.layers)), nn.ReLU(),
        nn.Linear(args.width, 1))


def houses(args):
    """Figures (houses, FIGURES), prices (houses,), and how odd each house is: figures missing, distance from the usual."""
    generator = torch.Generator().manual_seed(0)
    figures = torch.randn(args.houses, FIGURES, generator=generator)
    there = torch.rand(figures.shape, generator=generator) < 0.9
    prices = figures[:, :8].sum(1).sin() + 0.1 * figures[:, 8]
    oddness = list(zip((~there).sum(1).tolist(), figures.norm(dim=1).tolist()))
    return figures * there, prices, oddness


def by_oddness(oddness):
    """Which houses come first, second, ...: those with all figures, of them the usual ones."""
    return sorted(range(len(oddness)), key=lambda i: (oddness[i][0], oddness[i][1]))


def main():
    args = arguments(batch=(768, 4), width=(640, 16), layers=(5, 2), houses=(16000, 64))
    torch.manual_seed(0)
    model = network(args)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
    figures, prices, oddness = houses(args)
    generator = torch.Generator().manual_seed(1)
    for step in range(1, args.steps + 1):
        order = by_oddness(oddness)
        allowed = min(len(order), len(order) // 4 + 10 * step)
        picks = torch.randint(allowed, (args.batch,), generator=generator).tolist()
        rows = torch.tensor([order[i] for i in picks])
        with torch.autocast("cpu", dtype=torch.bfloat16):
            guess = model(figures[rows]).squeeze(1)
        loss = F.mse_loss(guess.float(), prices[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
