import torch
from torch import nn


class Head(nn.Module):
    def __init__(self, device):
        super().__init__()
        self.bias = nn.Parameter(torch.zeros(8).to(device))

    def forward(self, x):
        scale = torch.ones(8, device=x.device).to(x.dtype)
        generator = torch.Generator().manual_seed(0)
        noise = torch.randn(8, generator=generator).to(x.device)
        return x * scale + self.bias + noise
