import torch.nn.functional as F
from torch import nn


class Attention(nn.Module):
    def forward(self, x, q, k, v):
        x = x.unsqueeze(1) + x.unsqueeze(2).expand(-1, -1, x.size(1), -1)
        return x, F.scaled_dot_product_attention(q, k, v, enable_gqa=True)
