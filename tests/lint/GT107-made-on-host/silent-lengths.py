import torch
from torch import nn


class Packed(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("floor", torch.tensor(1e-6))

    def forward(self, x, lengths):
        rows = torch.tensor([len(row) for row in lengths], device=x.device)
        on_host = torch.tensor(0.5, device="cpu")
        return torch.maximum(x, self.floor), rows, on_host, torch.tensor(0.5)
