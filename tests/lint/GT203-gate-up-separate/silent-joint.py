import torch.nn.functional as F
from torch import nn


class FeedForward(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.both = nn.Linear(dim, 2 * hidden)
        self.out = nn.Linear(hidden, dim)
        self.scale = nn.Linear(dim, dim)

    def forward(self, x):
        gate, up = self.both(x).chunk(2, dim=-1)
        return self.out(F.silu(gate) * up) * F.relu(self.scale(x))
