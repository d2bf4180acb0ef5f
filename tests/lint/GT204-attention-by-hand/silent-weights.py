import torch
import torch.nn.functional as F
from torch import nn


class Shown(nn.Module):
    """Who asks for the weights cannot have the fused form."""

    def forward(self, q, k, v):
        attn = F.softmax(torch.matmul(q, k.transpose(2, 3)) / 8.0, dim=-1)
        return torch.matmul(attn, v), attn


class Capped(nn.Module):
    """scaled_dot_product_attention has no soft cap and no talking heads."""

    def __init__(self, heads):
        super().__init__()
        self.talk = nn.Linear(heads, heads)

    def forward(self, q, k, v):
        scores = q @ k.transpose(-2, -1)
        scores = 30.0 * torch.tanh(scores / 30.0)
        capped = scores.softmax(-1) @ v
        mixed = self.talk((q @ k.mT).permute(0, 2, 3, 1)).permute(0, 3, 1, 2).softmax(-1)
        return capped + mixed @ v


class Channels(nn.Module):
    """What is farthest from the largest counts most."""

    def forward(self, x):
        energy = torch.bmm(x, x.transpose(1, 2))
        inverse = energy.max(-1, keepdim=True)[0].expand_as(energy) - energy
        return torch.bmm(inverse.softmax(-1), x)
