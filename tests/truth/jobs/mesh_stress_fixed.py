"""Predicts the stress in the nodes of a mesh by passing messages along its edges."""
import torch
import torch.nn as nn
import torch.nn.functional as F

from training import arguments, log


class Pass(nn.Module):
    """One round of messages: an edge hears both its ends, a node the sum of its edges."""

    def __init__(self, width):
        super().__init__()
        self.sender, self.receiver = nn.Linear(width, width), nn.Linear(width, width, bias=False)
        self.length = nn.Linear(1, width)
        self.message = nn.Linear(width, width)
        self.update = nn.Sequential(nn.Linear(2 * width, width), nn.SiLU(), nn.Linear(width, width))
        self.norm = nn.LayerNorm(width)

    def forward(self, nodes, lengths, source, target):
        edges = F.silu(self.sender(nodes)[source] + self.receiver(nodes)[target] + self.length(lengths))
        heard = torch.zeros_like(nodes).index_add(0, target, self.message(edges))
        return nodes + self.norm(self.update(torch.cat([nodes, heard], 1)))


class Stress(nn.Module):
    def __init__(self, inputs, width, rounds):
        super().__init__()
        self.enter = nn.Linear(inputs, width)
        self.passes = nn.ModuleList(Pass(width) for _ in range(rounds))
        self.leave = nn.Linear(width, 1)

    def forward(self, x, lengths, source, target):
        h = self.enter(x)
        for one in self.passes:
            h = one(h, lengths, source, target)
        return self.leave(h).squeeze(1)


def mesh(nodes, neighbours, seed):
    """Points on a sheet, each joined to those next to it; a load on some; the stress is a smoothed load."""
    rng = torch.Generator().manual_seed(seed)
    place = torch.rand(nodes, 2, generator=rng)
    near = torch.cdist(place, place).topk(neighbours + 1, largest=False).indices[:, 1:]
    target = torch.arange(nodes).repeat_interleave(neighbours)
    source = near.flatten()
    load = (torch.rand(nodes, 1, generator=rng) < 0.1).float()
    stress = load[near].mean(1).squeeze(1) * 2
    lengths = (place[source] - place[target]).norm(dim=1, keepdim=True) * nodes**0.5
    return torch.cat([place, load], 1), lengths, source, target, stress


def main():
    args = arguments(nodes=(1200, 24), neighbours=(8, 3), width=(96, 8), rounds=(3, 2))
    torch.manual_seed(0)
    model = Stress(3, args.width, args.rounds)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
    meshes = [mesh(args.nodes, args.neighbours, seed) for seed in range(8)]
    for step in range(1, args.steps + 1):
        *graph, stress = meshes[step % len(meshes)]
        loss = F.mse_loss(model(*graph), stress)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
