"""Kinds of nodes in several graphs at once: each node adds to itself the mean of its neighbours."""
import torch
import torch.nn as nn
import torch.nn.functional as F

from training import arguments, log

FEATURES, KINDS = 64, 12


class GraphLayer(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.both = nn.Linear(2 * width, width)

    def forward(self, x, adjacency):
        return x + F.relu(self.both(torch.cat([x, torch.sparse.mm(adjacency, x)], 1)))


class GraphNet(nn.Module):
    def __init__(self, width, layers):
        super().__init__()
        self.first = nn.Linear(FEATURES, width)
        self.layers = nn.ModuleList(GraphLayer(width) for _ in range(layers))
        self.head = nn.Linear(width, KINDS)

    def forward(self, nodes, adjacency):
        x = self.first(nodes)
        for layer in self.layers:
            x = layer(x, adjacency)
        return self.head(x)


def graphs(args):
    """A batch of graphs as one: nodes (batch * nodes, FEATURES), a sparse matrix that takes the mean of neighbours, kinds."""
    generator = torch.Generator().manual_seed(0)
    count = args.batch * args.nodes
    nodes = torch.randn(count, FEATURES, generator=generator)
    to = torch.arange(count).repeat_interleave(args.neighbours)
    neighbours = to // args.nodes * args.nodes + torch.randint(args.nodes, to.shape, generator=generator)
    weights = torch.full(to.shape, 1 / args.neighbours)
    adjacency = torch.sparse_coo_tensor(torch.stack([to, neighbours]), weights, (count, count)).coalesce()
    return nodes, adjacency, torch.sparse.mm(adjacency, nodes)[:, :KINDS].argmax(1)


def main():
    args = arguments(batch=(8, 2), nodes=(1200, 20), neighbours=(8, 3), width=(128, 16), layers=(3, 2))
    torch.manual_seed(0)
    model = GraphNet(args.width, args.layers)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
    nodes, adjacency, kinds = graphs(args)
    for step in range(1, args.steps + 1):
        loss = F.cross_entropy(model(nodes, adjacency), kinds)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
