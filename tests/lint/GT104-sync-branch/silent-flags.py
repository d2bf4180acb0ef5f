import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, dim, loss_type="l1"):
        super().__init__()
        self.loss_type = loss_type
        self.norm = nn.LayerNorm(dim)

    def forward(self, x, mask=None, causal=False, steps=4, kind="mean"):
        if mask is not None:
            x = x.masked_fill(mask, 0)
        if causal or steps > 2:
            x = x.tril()
        if kind == "mean" and x.shape[0] > 1 and x.is_floating_point():
            x = x - x.mean()
        if self.loss_type == "l1" and x.dim() == 3:
            x = x.abs()
        return self.norm(x)
