import torch
from torch import nn


class Hardest(nn.Module):
    def forward(self, rows, labels):
        n = rows.size(0)
        same = labels.expand(n, n).eq(labels.expand(n, n).t())
        far = torch.cdist(rows, rows)
        hard = []
        for i in range(n):
            hard.append(far[i][same[i]].max())
        return torch.stack(hard).mean()
