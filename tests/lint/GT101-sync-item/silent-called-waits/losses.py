import torch
from torch import nn


class Detection(nn.Module):
    def forward(self, score, target):
        if torch.sum(target) < 1:
            return torch.sum(score) * 0
        return (score - target).abs().mean()


def matched(score: torch.Tensor, target: torch.Tensor):
    rows = torch.nonzero(target)
    return score[rows].mean()


class Policy(nn.Module):
    def rollout(self, n):
        ended = torch.zeros(n, dtype=torch.bool, device="cuda")
        tokens = torch.ones(n, device="cuda")
        for _ in range(100):
            tokens = self.cell(tokens)
            ended |= tokens == 0
            if ended.all():
                break
        return tokens


class Signal(nn.Module):
    def __call__(self, a, b):
        error = torch.mean((a - b) ** 2)
        if error == 0:
            return torch.tensor(0)
        return -10 * torch.log(error)
