import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(dim))
        self.slopes = nn.Embedding(16, dim)

    def forward(self, x, lengths, offset=0):
        # of the batch
        mask = torch.arange(x.size(1), device=x.device)[None] < lengths[:, None]
        # of what is learned
        bias = torch.arange(x.size(-1), device=x.device) * self.scale
        table = self.slopes(torch.arange(16, device=x.device))
        # of the caller
        positions = torch.arange(x.size(1), device=x.device) + offset
        # drawn anew in every step
        noise = torch.ones(x.shape, device=x.device) * torch.rand(x.shape, device=x.device)
        # one small operation
        rows = torch.arange(x.size(0), device=x.device).unsqueeze(1)
        return (x + bias + noise + table.mean())[rows, positions] * mask[..., None]
