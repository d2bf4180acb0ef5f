import torch

scores = []
for x in loader:
    padding = torch.zeros(1, 4)
    padding = torch.cat([padding, x])
    scores.append(model(padding))
scores = torch.cat(scores)
scores = torch.cat([scores, extra])


class Readout(torch.nn.Module):
    def forward(self, graph, h):
        pooled = self.pool(graph, h)
        for layer in self.layers:
            pooled = torch.cat([pooled, self.pool(graph, layer(h))], -1)
        return pooled
