import torch
from torch import nn


class Pairwise(nn.Module):
    def forward(self, x, offset):
        n = x.size(1)
        moved = x.unsqueeze(2) + offset.unsqueeze(2).repeat(1, 1, n, 1)  # expect
        return moved * offset.unsqueeze(1).repeat(1, n, 1, 1)  # expect
