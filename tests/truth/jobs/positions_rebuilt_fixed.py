"""A GPT that adds a table of sines to what each of its blocks sees."""
import math

import torch
import torch.nn as nn

from models import Block
from training import arguments, log, next_token_loss, text_batches


def position_table(length, width):
    """(length, width): sines and cosines of each position, as float64 gives them."""
    table = torch.zeros(length, width, dtype=torch.float64)
    position = torch.arange(length, dtype=torch.float64).unsqueeze(1)
    rate = torch.exp(torch.arange(0, width, 2, dtype=torch.float64) * (-math.log(10000.0) / width))
    table[:, 0::2] = torch.sin(position * rate)
    table[:, 1::2] = torch.cos(position * rate)
    return table.float()


class Model(nn.Module):
    def __init__(self, args):
        super().__init__()
        self.tokens = nn.Embedding(args.vocab, args.width)
        self.blocks = nn.ModuleList(Block(args.width, args.heads) for _ in range(args.layers))
        self.head = nn.Linear(args.width, args.vocab)
        self.register_buffer("positions", position_table(args.length, args.width), persistent=False)

    def forward(self, tokens):
        x = self.tokens(tokens)
        for block in self.blocks:
            x = block(x + self.positions[: x.shape[1]])
        return self.head(x)


def main():
    args = arguments(batch=(4, 2), length=(256, 16))
    torch.manual_seed(0)
    model = Model(args)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4, fused=True)
    for step, (x, y) in enumerate(text_batches(args), 1):
        loss = next_token_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
