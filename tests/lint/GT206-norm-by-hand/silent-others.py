import torch
from torch import nn


class PixelNorm(nn.Module):
    """Over the channels, which are not the last dimension."""

    def forward(self, x):
        return x * torch.rsqrt(torch.mean(x ** 2, dim=1, keepdim=True) + 1e-8)


class QuickGELU(nn.Module):
    """Another function than GELU."""

    def forward(self, x, gate):
        return x * torch.sigmoid(1.702 * x) + x * torch.sigmoid(gate)


class Demodulated(nn.Module):
    def forward(self, w):
        return w * torch.rsqrt(w.pow(2).sum([2, 3, 4], keepdim=True) + 1e-8)


@torch.jit.script
def fused_swish(x):
    return x * torch.sigmoid(x)


class Fused(nn.Module):
    def forward(self, x):
        return fused_swish(x)
