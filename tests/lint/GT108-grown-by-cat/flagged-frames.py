import torch
from torch import nn


class Frames(nn.Module):
    def forward(self, x):
        h, outputs = x[0], x[:0]
        for t in range(x.size(0)):
            h = self.cell(x[t], h)
            outputs = torch.cat([outputs, h.unsqueeze(0)])  # expect
        return outputs


frames = Frames().cuda()
