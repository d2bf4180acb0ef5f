import math

import torch


def gelu_table(n):
    """Once, not in a step."""
    x = torch.linspace(-4, 4, n)
    return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x ** 3)))


table = gelu_table(512)
normed = table * torch.rsqrt(table.pow(2).mean(-1, keepdim=True) + 1e-6)
