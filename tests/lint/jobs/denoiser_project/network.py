"""The network: patches look at each other, and each says which noise was added to it."""
import torch
import torch.nn as nn


class Mixing(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attention = nn.MultiheadAttention(width, 4, batch_first=True)
        self.inner, self.outer = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)

    def forward(self, x):
        y = self.norm1(x)
        x = x + self.attention(y, y, y, need_weights=False)[0]
        return x + self.outer(torch.nn.functional.silu(self.inner(self.norm2(x))))


class Denoiser(nn.Module):
    def __init__(self, inputs, width, layers):
        super().__init__()
        self.enter, self.level = nn.Linear(inputs, width), nn.Linear(1, width)
        self.blocks = nn.Sequential(*[Mixing(width) for _ in range(layers)])
        self.leave = nn.Linear(width, inputs)

    def forward(self, x, level):
        return self.leave(self.blocks(self.enter(x) + self.level(level)))
