import torch
from torch import nn


class Positions(nn.Module):
    def forward(self, x):
        n = x.size(1)
        angles = torch.outer(torch.arange(n, device=x.device), torch.ones(8, device=x.device))
        return x + angles.cos()


# the compiler makes it within the kernel that reads it
model = torch.compile(Positions().cuda())
