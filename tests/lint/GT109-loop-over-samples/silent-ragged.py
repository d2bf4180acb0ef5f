import torch
from torch import nn


class Joiner(nn.Module):
    def __init__(self):
        super().__init__()
        self.type_embedding = nn.Embedding(3, 64)

    def forward(self, context, region_len, pyramid):
        kind = self.type_embedding(torch.tensor([0], device=context.device))
        joined, pooled = [], []
        for b in range(context.shape[0]):
            joined.append(context[b, : region_len[b]] + kind)
        for i in range(len(pyramid)):
            pooled.append(torch.relu(pyramid[i]))
        for i in range(context.size(0)):
            if region_len[i] > 4:
                joined[i] = context[i] * 2
        return joined, pooled
