from functools import lru_cache

import torch
from torch import nn


@lru_cache(maxsize=8)
def window_mask(n: int):
    return torch.ones(n, n).tril()


class Rotary(nn.Module):
    def __init__(self, dim, most):
        super().__init__()
        self.inv_freq = 1.0 / 10000 ** (torch.arange(0, dim, 2) / dim)
        self.cached = 0
        self.mask = None
        self.register_buffer("causal", torch.triu(torch.ones(most, most), diagonal=1).bool())

    def grow(self, n: int):
        t = torch.arange(n)
        angles = torch.outer(t, self.inv_freq)
        self.cos = angles.cos()
        self.cached = n

    def forward(self, x):
        n = x.size(1)
        if n > self.cached:
            self.grow(n)
        if self.mask is None or self.mask.size(0) != n:
            mask = torch.full((n, n), float("-inf")).triu(1)
            self.mask = mask.to(x.device)
        return x * self.cos[:n] + self.mask + window_mask(n) + self.causal[:n, :n]


class Positions(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim
        self.table = None

    def make_table(self, n: int, device):
        t = torch.arange(n, device=device)[:, None]
        return t / 10000 ** (torch.arange(self.dim, device=device) / self.dim)

    def forward(self, x):
        if self.table is None:
            self.table = self.make_table(x.size(1), x.device)
        return x + self.table


class Clipped(nn.Module):
    def forward(self, boxes):
        if torch.jit.is_tracing():
            boxes = torch.max(boxes, torch.tensor(0, device=boxes.device))
        else:
            boxes = boxes.clamp(min=0)
        return boxes
