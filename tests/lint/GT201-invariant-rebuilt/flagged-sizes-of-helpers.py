import torch
from torch import nn


def causal_mask(length, device):
    return torch.triu(torch.ones(length, length, device=device), diagonal=1).bool()  # expect


class Decoder(nn.Module):
    def window(self, size, device):
        return torch.full((size, size), float("-inf"), device=device).triu(1)  # expect

    def forward(self, x):
        square = nn.Transformer.generate_square_subsequent_mask(x.size(1)).to(x.device)  # expect
        x = x + square + self.window(x.size(1), x.device)
        return x.masked_fill(causal_mask(x.size(1), x.device), 0)
