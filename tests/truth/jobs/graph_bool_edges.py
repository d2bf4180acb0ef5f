"""Kinds of nodes in graphs, by what their neighbours are; edges are kept as booleans, which take little memory."""
import torch
import torch.nn as nn
import torch.nn.functional as F

from training import arguments, log

FEATURES, KINDS = 32, 7


class GraphLayer(nn.Module):
    """Each node adds to itself the mean of its neighbours."""

    def __init__(self, width):
        super().__init__()
        self.own, self.others = nn.Linear(width, width), nn.Linear(width, width, bias=False)
        self.norm = nn.LayerNorm(width)

    def forward(self, x, edges):
        weights = edges.float()
        neighbours = weights @ x / weights.sum(-1, keepdim=True).clamp(min=1)
        return x + F.relu(self.norm(self.own(x) + self.others(neighbours)))


class GraphNet(nn.Module):
    def __init__(self, width, layers):
        super().__init__()
        self.first = nn.Linear(FEATURES, width)
        self.layers = nn.ModuleList(GraphLayer(width) for _ in range(layers))
        self.head = nn.Linear(width, KINDS)

    def forward(self, nodes, edges):
        x = self.first(nodes)
        for layer in self.layers:
            x = layer(x, edges)
        return self.head(x)


def graphs(args):
    """args.steps times nodes (batch, nodes, FEATURES), edges (batch, nodes, nodes), kinds (batch, nodes)."""
    generator = torch.Generator().manual_seed(0)
    nodes = torch.randn(4, args.batch, args.nodes, FEATURES, generator=generator)
    edges = torch.rand(4, args.batch, args.nodes, args.nodes, generator=generator) < 0.05
    kinds = (edges.float() @ nodes)[..., :KINDS].argmax(-1)
    for step in range(args.steps):
        yield nodes[step % 4], edges[step % 4], kinds[step % 4]


def main():
    args = arguments(batch=(20, 2), nodes=(384, 12), width=(64, 16), layers=(4, 2))
    torch.manual_seed(0)
    model = GraphNet(args.width, args.layers)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
    for step, (nodes, edges, kinds) in enumerate(graphs(args), 1):
        logits = model(nodes, edges)
        loss = F.cross_entropy(logits.flatten(0, 1), kinds.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
