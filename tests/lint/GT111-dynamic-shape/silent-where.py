import torch
from torch import nn


class Head(nn.Module):
    def forward(self, x: torch.Tensor, labels: torch.Tensor):
        x = torch.where(labels > 0, x, 0)
        return x.masked_fill(labels < 0, 0)[:, 1:], x[labels]
