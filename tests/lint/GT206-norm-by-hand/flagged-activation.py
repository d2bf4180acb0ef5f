import math

import torch
from torch import nn


class GELU(nn.Module):
    def forward(self, x):
        return 0.5 * x * (1.0 + torch.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * torch.pow(x, 3))))  # expect


class Exact(nn.Module):
    def forward(self, x):
        return x * 0.5 * (1.0 + torch.erf(x / math.sqrt(2.0)))  # expect


class Swish(nn.Module):
    def forward(self, x):
        return x * torch.sigmoid(x)  # expect
