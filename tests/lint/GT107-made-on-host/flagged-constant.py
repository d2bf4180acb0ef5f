import torch
from torch import nn


class Typed(nn.Module):
    def __init__(self):
        super().__init__()
        self.types = nn.Embedding(3, 64)

    def forward(self, x):
        kind = self.types(torch.tensor([0], device=x.device))  # expect
        floor = torch.tensor(1e-6, dtype=x.dtype, device=x.device)  # expect
        return torch.maximum(x + kind, floor)
