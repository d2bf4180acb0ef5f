import torch
import torch.nn.functional as F
from torch import nn


class Pool(nn.Module):
    def forward(self, x, graph, flows):
        # as many as the batch has of nodes, of pairs, of frames
        counts = torch.ones(len(graph), dtype=torch.long, device=x.device) * 4
        labels = torch.cat([torch.ones_like(x[:, 0]), torch.zeros_like(x[:, 0])])
        near = torch.zeros(x.size(0), device=x.device) + 0.05
        total = torch.tensor([0.5], device=x.device) * 2
        sums = torch.zeros(8, 8, device=x.device)
        sums += x.sum()
        # made on the host first: that is told by another rule
        rows = torch.arange(64).to(x.device) * 8 + 4
        flow = torch.zeros(2, 64, 64, device=x.device)
        for level in flows:
            # what the turn before made
            wide = F.interpolate(flow[None], scale_factor=2) * 2.0
            flow = level(wide, x)
        return counts, labels, near, total, sums, flow, rows
