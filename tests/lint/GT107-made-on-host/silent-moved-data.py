import torch
from torch import nn


class Normalised(nn.Module):
    def __init__(self, device):
        super().__init__()
        self.mean = torch.tensor([0.485, 0.456, 0.406]).to(device)

    def forward(self, x, lengths):
        kept = torch.tensor(lengths).to(x.device)  # data of this batch
        half = torch.tensor([0.5]).to(torch.float64)
        return (x - self.mean) * kept + half.numpy().item()
