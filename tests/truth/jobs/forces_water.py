"""A potential of clusters of water: energies by messages between atoms, forces as its slope; both are learned."""
import torch
import torch.nn as nn
import torch.nn.functional as F

from training import arguments, log

WEIGHT = 10.0


class Potential(nn.Module):
    def __init__(self, atoms, width, layers, radial=12):
        super().__init__()
        self.kinds = nn.Embedding(2, width)
        self.filters = nn.ModuleList(nn.Linear(radial, width) for _ in range(layers))
        self.updates = nn.ModuleList(nn.Sequential(nn.Linear(width, width), nn.SiLU(), nn.Linear(width, width)) for _ in range(layers))
        self.read = nn.Sequential(nn.Linear(width, width), nn.SiLU(), nn.Linear(width, 1))
        self.register_buffer("centres", torch.linspace(0.5, 5, radial))
        self.register_buffer("others", 1 - torch.eye(atoms))

    def forward(self, place, kind):
        """Energies (batch,) of atoms at place (batch, atoms, 3)."""
        apart = (place[:, :, None] - place[:, None]).square().sum(-1)
        distance = (apart + 1e-3).sqrt()
        bumps = torch.exp(-2 * (distance[..., None] - self.centres).square()) * self.others[..., None]
        x = self.kinds(kind)
        for filters, update in zip(self.filters, self.updates):
            x = x + update((filters(bumps) * x[:, None]).sum(2))
        return self.read(x).sum((1, 2))


def forces(model, place, kind):
    """Minus the slope of the energy, as a function that can be learned."""
    place = place.detach().requires_grad_()
    energy = model(place, kind)
    return -torch.autograd.grad(energy.sum(), place, create_graph=True)[0]


def loss_of(model, place, kind, energy, force):
    of_energy = F.mse_loss(model(place, kind), energy)
    of_force = F.mse_loss(forces(model, place, kind), force)
    return of_energy + WEIGHT * of_force


def clusters(count, atoms, seed=0):
    """Atoms on springs around where they rest, under a weak common field."""
    rng = torch.Generator().manual_seed(seed)
    rest = 2 * torch.randn(atoms, 3, generator=rng)
    moved = 0.3 * torch.randn(count, atoms, 3, generator=rng)
    kind = (torch.arange(atoms) % 3 > 0).long().expand(count, -1)
    return rest + moved, kind, 0.5 * moved.square().sum((1, 2)), -moved


def main():
    args = arguments(batch=(36, 2), atoms=(18, 6), width=(64, 8), layers=(2, 2))
    torch.manual_seed(0)
    model = Potential(args.atoms, args.width, args.layers)
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-4, fused=True)
    data = clusters(50 * args.batch, args.atoms)
    for step in range(1, args.steps + 1):
        chosen = torch.randint(len(data[0]), (args.batch,))
        loss = loss_of(model, *(column[chosen] for column in data))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
