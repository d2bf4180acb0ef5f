import torch
from torch import nn


class Normalised(nn.Module):
    def __init__(self, device):
        super().__init__()
        self.device = device
        self.kind = nn.Embedding(3, 8)

    def forward(self, x):
        mean = torch.tensor([0.485, 0.456, 0.406]).view(1, 3, 1, 1).to(x.device)  # expect
        first = self.kind(torch.LongTensor([0]).to(self.device))  # expect
        second = self.kind(torch.tensor(1).cuda())  # expect
        return x - mean + first + second + torch.tensor(-1e4).to(device=x.device)  # expect
