"""What genes single cells read: counts are squeezed into a few numbers a cell and told from them again, as a Poisson's mean."""
import torch
import torch.nn as nn
import torch.nn.functional as F

from training import arguments, log


class Cells(nn.Module):
    """The logarithm of the expected counts (cells, genes)."""

    def __init__(self, genes, hidden, factors):
        super().__init__()
        self.squeeze = nn.ModuleDict(
            {"wide": nn.Linear(genes, hidden), "norm": nn.LayerNorm(hidden), "tight": nn.Linear(hidden, factors)})
        self.tell = nn.Sequential(nn.Linear(factors, hidden), nn.LayerNorm(hidden), nn.ReLU(), nn.Linear(hidden, genes))

    def forward(self, logs):
        hidden = F.relu(self.squeeze["norm"](self.squeeze["wide"](logs)))
        return self.tell(self.squeeze["tight"](hidden))


def plates(args):
    """args.steps pairs (batch, genes): counts, and their logarithms as the network sees them."""
    generator = torch.Generator().manual_seed(0)
    kinds = torch.randn(12, args.genes, generator=generator)
    which = torch.randint(12, (4 * args.batch,), generator=generator)
    counts = torch.poisson(kinds[which].exp(), generator=generator)
    pairs = list(zip(counts.split(args.batch), counts.log1p().split(args.batch)))
    for step in range(args.steps):
        yield pairs[step % 4]


def groups(model):
    """Matrices shrink, biases and norms do not."""
    parameters = list(model.parameters())
    return [
        {"params": [p for p in parameters if p.dim() > 1], "weight_decay": 1e-3},
        {"params": [p for p in parameters if p.dim() == 1], "weight_decay": 0.0}]


def main():
    args = arguments(batch=(1536, 4), genes=(3000, 30), hidden=(512, 8), factors=(32, 4))
    torch.manual_seed(0)
    model = Cells(args.genes, args.hidden, args.factors)
    optimizer = torch.optim.AdamW(groups(model), lr=1e-3, amsgrad=True)
    for step, (counts, logs) in enumerate(plates(args), 1):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            expected = model(logs)
        loss = F.poisson_nll_loss(expected.float(), counts)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
