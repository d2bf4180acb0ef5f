import torch
from torch import nn


class Spectrogram(nn.Module):
    def forward(self, y: torch.Tensor):
        if torch.max(y) > 1.0:
            print("max value is", torch.max(y))
        return y


spectrogram = Spectrogram().cuda()
