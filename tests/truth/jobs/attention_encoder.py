"""An encoder that fills in masked tokens; every token sees every other."""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F

from models import GPT
from training import arguments, log, text_batches

MASKED = 1  # the token that stands for a hidden one


class SelfAttention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = self.qkv(x).view(batch, length, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
        weights = torch.softmax(torch.matmul(q, k.mT) * (1 / math.sqrt(q.shape[-1])), -1)
        y = torch.matmul(weights, v)
        return self.out(y.transpose(1, 2).reshape(batch, length, width))


def main():
    args = arguments(batch=(4, 2), length=(192, 16))
    torch.manual_seed(0)
    model = GPT(args, attention=SelfAttention)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4, fused=True)
    generator = torch.Generator().manual_seed(1)
    for step, (x, _) in enumerate(text_batches(args), 1):
        hidden = torch.rand(x.shape, generator=generator) < 0.15
        logits = model(x.masked_fill(hidden, MASKED))
        loss = F.cross_entropy(logits[hidden], x[hidden])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
