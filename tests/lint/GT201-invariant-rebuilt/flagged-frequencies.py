import math

import torch as th
from torch import nn


def embed(t: th.Tensor, dim: int, period=10000):
    half = dim // 2
    freqs = th.exp(-math.log(period) * th.arange(half, dtype=th.float32) / half)
    angles = t[:, None].float() * freqs.to(t.device)[None]  # expect
    return th.cat([th.cos(angles), th.sin(angles)], dim=-1)


class Rotary(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.register_buffer("inv_freq", 1.0 / 10000 ** (th.arange(0, dim, 2) / dim))
        self.kind = nn.Embedding(3, dim)

    def forward(self, x, t):
        positions = th.arange(x.shape[1], device=x.device).float()
        angles = th.outer(positions, self.inv_freq)  # expect
        both = th.cat((angles, angles), dim=-1)
        x = x * both.cos() + self.kind(th.tensor([0, 2, 1], device=x.device))  # expect
        return x + embed(t, x.shape[-1])
