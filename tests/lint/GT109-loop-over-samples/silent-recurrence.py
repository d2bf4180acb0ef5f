import torch
from torch import nn


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(64, 64)
        self.heads = nn.ModuleList(nn.Linear(64, 8) for _ in range(4))

    def forward(self, x, h):
        outputs = []
        for t in range(x.size(1)):
            h = self.cell(x[:, t], h)
            outputs.append(h)
        for i in range(len(self.heads)):
            outputs.append(self.heads[i](x[:, i]))
        for t in range(1, x.size(1)):
            x[:, t] = x[:, t] + x[:, t - 1]
        return outputs
