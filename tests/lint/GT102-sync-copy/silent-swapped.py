import torch
from torch import nn


class Block(nn.Module):
    def forward(self, x):
        x = self.layer(x)
        # the copy runs beside what follows
        self.kept = x.to("cpu", non_blocking=True)
        return x


block = Block().cuda()
