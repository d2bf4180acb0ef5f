import torch
import torch.nn.functional as F
from torch import nn


class Attention(nn.Module):
    def __init__(self, fused=True):
        super().__init__()
        self.fused = fused

    def forward(self, q, k, v):
        if self.fused:
            return F.scaled_dot_product_attention(q, k, v)
        attn = (q @ k.transpose(-2, -1)).softmax(dim=-1)
        return attn @ v
