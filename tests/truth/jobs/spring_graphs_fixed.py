"""Which way masses on springs are pulled: a network of messages along the springs of many small systems at once."""
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

from training import arguments, log


class Systems(Dataset):
    """Item i: masses (n, 6), springs (2, m) from one mass to another, and forces (n, 2) on the masses."""

    def __init__(self, args):
        generator = torch.Generator().manual_seed(0)
        self.items = args.steps * args.batch
        self.systems = [self.make(generator) for _ in range(args.systems)]

    @staticmethod
    def make(generator):
        count = int(torch.randint(12, 25, (1,), generator=generator))
        masses = torch.randn(count, 6, generator=generator)
        springs = torch.randint(count, (2, 5 * count), generator=generator)
        pull = masses[springs[1], :2] - masses[springs[0], :2]
        return masses, springs, torch.zeros(count, 2).index_add(0, springs[0], pull)

    def __len__(self):
        return self.items

    def __getitem__(self, i):
        return self.systems[i % len(self.systems)]


def join_systems(systems):
    """All systems as one graph."""
    masses, springs, forces = zip(*systems)
    counts = torch.tensor([len(m) for m in masses])
    first = (counts.cumsum(0) - counts).repeat_interleave(torch.tensor([s.shape[1] for s in springs]))
    return torch.cat(masses), torch.cat(springs, dim=1) + first, torch.cat(forces)


def mlp(inputs, width, outputs):
    return nn.Sequential(nn.Linear(inputs, width), nn.ReLU(), nn.Linear(width, outputs))


class Messages(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.message, self.update = mlp(2 * width, width, width), mlp(2 * width, width, width)

    def forward(self, x, springs):
        source, target = springs
        sent = self.message(torch.cat([x.index_select(0, source), x.index_select(0, target)], 1))
        heard = torch.zeros_like(x).index_add(0, source, sent.to(x.dtype))
        return x + self.update(torch.cat([x, heard], 1))


class Simulator(nn.Module):
    def __init__(self, width, layers):
        super().__init__()
        self.first, self.last = nn.Linear(6, width), nn.Linear(width, 2)
        self.layers = nn.ModuleList(Messages(width) for _ in range(layers))

    def forward(self, masses, springs):
        x = self.first(masses)
        for layer in self.layers:
            x = layer(x, springs)
        return self.last(x)


def main():
    args = arguments(batch=(384, 3), width=(64, 8), layers=(2, 2), systems=(1000, 20))
    torch.manual_seed(0)
    model = Simulator(args.width, args.layers)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
    loader = DataLoader(Systems(args), batch_size=args.batch, collate_fn=join_systems)
    for step, (masses, springs, forces) in enumerate(loader, 1):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            guess = model(masses, springs)
        loss = F.mse_loss(guess.float(), forces)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
