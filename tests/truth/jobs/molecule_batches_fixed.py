"""A property of molecules, learned by messages along their bonds."""
import random

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

from training import arguments, log

ELEMENTS = 10


def molecule(rng, atoms):
    """The elements of a random tree with some rings, its bonds, and how many heavy neighbours there are."""
    elements = [rng.randrange(ELEMENTS) for _ in range(atoms)]
    bonds = [(i, rng.randrange(max(0, i - 4), i)) for i in range(1, atoms)]
    bonds += [(i, i - 5) for i in range(5, atoms, 6)]
    return elements, bonds, sum(elements[a] * elements[b] > 20 for a, b in bonds) / atoms


class Molecules(Dataset):
    def __init__(self, args):
        rng = random.Random(0)
        self.molecules = [molecule(rng, rng.randint(args.atoms // 2, args.atoms)) for _ in range(512)]
        self.items = args.steps * args.batch

    def __len__(self):
        return self.items

    def __getitem__(self, i):
        return self.molecules[i % len(self.molecules)]


def to_graphs(molecules):
    """Elements (batch, atoms), adjacency (batch, atoms, atoms), target (batch,)."""
    atoms = max(len(elements) for elements, _, _ in molecules)
    kinds = torch.zeros(len(molecules), atoms, dtype=torch.long)
    adjacency = torch.zeros(len(molecules), atoms, atoms)
    for m, (elements, _, _) in enumerate(molecules):
        kinds[m, : len(elements)] = torch.tensor(elements)
    m, a, b = torch.tensor([(m, a, b) for m, (_, bonds, _) in enumerate(molecules) for a, b in bonds]).unbind(1)
    adjacency[m, a, b] = 1
    adjacency[m, b, a] = 1
    return kinds, adjacency, torch.tensor([target for _, _, target in molecules])


class Messages(nn.Module):
    def __init__(self, width, layers):
        super().__init__()
        self.kinds = nn.Embedding(ELEMENTS, width)
        self.send = nn.ModuleList(nn.Linear(width, width) for _ in range(layers))
        self.update = nn.ModuleList(nn.Linear(2 * width, width) for _ in range(layers))
        self.head = nn.Sequential(nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 1))

    def forward(self, kinds, adjacency):
        x = self.kinds(kinds)
        for send, update in zip(self.send, self.update):
            x = x + F.relu(update(torch.cat([x, adjacency @ send(x)], -1)))
        return self.head(x.mean(1)).squeeze(1)


def main():
    args = arguments(batch=(32, 2), atoms=(48, 8), width=(384, 16), layers=(5, 2))
    torch.manual_seed(0)
    model = Messages(args.width, args.layers)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
    loader = DataLoader(Molecules(args), batch_size=args.batch, collate_fn=to_graphs)
    for step, (kinds, adjacency, target) in enumerate(loader, 1):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            guess = model(kinds, adjacency)
        loss = F.mse_loss(guess.float(), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
