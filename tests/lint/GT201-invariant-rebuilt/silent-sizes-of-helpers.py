import torch
from torch import nn


def filled(value, device):
    return torch.full((4, 4), value, device=device).triu(1)


class Growing(nn.Module):
    def seen(self, step, device):
        return torch.ones(step, 8, device=device).cumsum(0)

    def scaled(self, x, by):
        return torch.ones(4, 4, device=x.device) * by

    def forward(self, x, step):
        return x + self.seen(step, x.device) + filled(x.mean(), x.device) + self.scaled(x, x.std())
