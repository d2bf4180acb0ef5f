import torch
import torch.nn.functional as F
from torch import nn


class Gate(nn.Module):
    """The gate reads one value, what it gates another; or it is of another shape."""

    def __init__(self, dim):
        super().__init__()
        self.gate = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.scalar = nn.Linear(dim, 1)

    def forward(self, x, context):
        y = torch.sigmoid(self.gate(context)) * self.value(x)
        return y + torch.sigmoid(self.scalar(x)) * self.value(x)


class Recurrent(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.reset = nn.Linear(dim, dim)
        self.new = nn.Linear(dim, dim)

    def forward(self, x):
        r = torch.sigmoid(self.reset(x))
        x = x * r
        return r * self.new(x)
