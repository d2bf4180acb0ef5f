"""Fields of papers in a net of citations: graph convolutions over the whole net, few papers have a label."""
import torch
import torch.nn as nn
import torch.nn.functional as F

from training import arguments, log

WORDS, FIELDS = 128, 16


def normalized(edges, papers):
    """D^-1/2 (A + I) D^-1/2 as a sparse matrix."""
    loops = torch.arange(papers).expand(2, -1)
    source, target = edges = torch.cat([edges, loops], 1)
    degree = torch.zeros(papers).index_add_(0, source, torch.ones(edges.shape[1]))
    scale = degree.rsqrt()
    return torch.sparse_coo_tensor(edges, scale[source] * scale[target], (papers, papers)).coalesce()


class GraphConvolution(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)

    def forward(self, x, adjacency):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            x = self.linear(x)
        return torch.sparse.mm(adjacency, x.float())


class CitationNet(nn.Module):
    def __init__(self, width, layers):
        super().__init__()
        widths = [WORDS] + [width] * (layers - 1) + [FIELDS]
        self.layers = nn.ModuleList(GraphConvolution(a, b) for a, b in zip(widths, widths[1:]))

    def forward(self, x, adjacency):
        for layer in self.layers[:-1]:
            x = F.dropout(F.relu(layer(x, adjacency)), 0.2, self.training)
        return self.layers[-1](x, adjacency)


def citations(args):
    """Words (papers, WORDS), edges (2, m) both ways, fields (papers,), and which papers have a label."""
    generator = torch.Generator().manual_seed(0)
    fields = torch.randint(FIELDS, (args.papers,), generator=generator)
    words = torch.randn(args.papers, WORDS, generator=generator)
    words[torch.arange(args.papers), fields] += 2
    one_way = torch.randint(args.papers, (2, args.papers * 3), generator=generator)
    labelled = torch.rand(args.papers, generator=generator) < 0.1
    return words, torch.cat([one_way, one_way.flip(0)], 1), fields, labelled


def main():
    args = arguments(papers=(8000, 60), width=(192, 8), layers=(3, 2))
    torch.manual_seed(0)
    model = CitationNet(args.width, args.layers)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=5e-4, fused=True)
    words, edges, fields, labelled = citations(args)
    adjacency = normalized(edges, args.papers)
    for step in range(1, args.steps + 1):
        logits = model(words, adjacency)
        loss = F.cross_entropy(logits[labelled], fields[labelled])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
