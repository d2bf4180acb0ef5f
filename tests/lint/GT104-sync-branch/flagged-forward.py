import torch
from torch import nn


class Router(nn.Module):
    def forward(self, x: torch.Tensor, mask: torch.Tensor):
        if mask.any():  # expect
            x = x.masked_fill(mask, 0)
        error = torch.linalg.norm(x)
        while error > 1e-3:  # expect
            x = x / 2
            error = torch.linalg.norm(x)
        return x


router = Router().to(torch.device("cuda"))
