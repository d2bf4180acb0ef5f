"""A GPT whose norms are taken with care."""
import torch
import torch.nn as nn

from models import GPT
from training import arguments, log, next_token_loss, text_batches


class CarefulNorm(nn.LayerNorm):
    """LayerNorm."""

    def forward(self, x):
        return super().forward(x)


def main():
    args = arguments()
    torch.manual_seed(0)
    model = GPT(args, norm=CarefulNorm)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4, fused=True)
    for step, (x, y) in enumerate(text_batches(args), 1):
        loss = next_token_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
