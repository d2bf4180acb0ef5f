import numpy as np
import torch
from torch import nn


class Detection(nn.Module):
    def forward(self, score, target, null=np.nan):
        if np.isnan(null):  # of the host
            target = torch.nan_to_num(target)
        return (score - target).abs().mean()


class Guarded(nn.Module):
    def forward(self, score, target):
        if self.strict:
            rows = torch.nonzero(target)
            score = score[rows]
        return score.mean()


def visualise(score):
    return torch.unique(score)


class Often(nn.Module):
    def forward(self, rows):
        for i in range(100):
            rows = rows[torch.relu(rows) > i]
        return rows
