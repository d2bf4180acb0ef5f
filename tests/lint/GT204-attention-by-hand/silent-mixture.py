import torch
from torch import nn


class Mixture(nn.Module):
    """A softmax and two products, but of weights, not of tokens."""

    def __init__(self, dim, experts):
        super().__init__()
        self.router = nn.Linear(dim, experts)
        self.memory = nn.Parameter(torch.zeros(experts, dim))

    def forward(self, x):
        chosen = torch.softmax(self.router(x), dim=-1)
        return chosen @ self.memory


class Linear(nn.Module):
    def forward(self, q, k, v):
        context = torch.softmax(k, dim=-2).transpose(-2, -1) @ v
        return torch.softmax(q, dim=-1) @ context
