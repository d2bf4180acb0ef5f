import torch
import torch.nn.functional as F
from torch import nn


class Reader(nn.Module):
    def forward(self, q, k, v):
        weights = torch.softmax(q @ k.mT, dim=-1)
        return weights @ v


model = Reader()
loss = F.cross_entropy(model(q, k, v), y)
