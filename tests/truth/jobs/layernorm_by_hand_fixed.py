"""A GPT with its norms written out."""
import torch
import torch.nn as nn
import torch.nn.functional as F

from models import GPT
from training import arguments, log, next_token_loss, text_batches


class Norm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(width))
        self.shift = nn.Parameter(torch.zeros(width))

    def forward(self, x):
        return F.layer_norm(x, x.shape[-1:], self.scale, self.shift, eps=1e-5)


def main():
    args = arguments()
    torch.manual_seed(0)
    model = GPT(args, norm=Norm)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4, fused=True)
    for step, (x, y) in enumerate(text_batches(args), 1):
        loss = next_token_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
