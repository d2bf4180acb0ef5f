"""Continues headlines with a small decoder and tells how busy the machine is, in operations a second."""
import time

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.flop_counter import FlopCounterMode

from training import arguments, log, next_token_loss, text_batches


class Layer(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.RMSNorm(width), nn.RMSNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width, bias=False), nn.Linear(width, width, bias=False)
        self.gate, self.down = nn.Linear(width, 4 * width, bias=False), nn.Linear(2 * width, width, bias=False)

    def forward(self, x):
        q, k, v = self.qkv(self.norm1(x)).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        x = x + self.out(F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2))
        return x + self.down(F.glu(self.gate(self.norm2(x))))


class Headlines(nn.Module):
    def __init__(self, args):
        super().__init__()
        self.tokens, self.places = nn.Embedding(args.vocab, args.width), nn.Embedding(args.length, args.width)
        self.layers = nn.Sequential(*[Layer(args.width, args.heads) for _ in range(args.layers)])
        self.head = nn.Linear(args.width, args.vocab, bias=False)

    def forward(self, tokens):
        return self.head(self.layers(self.tokens(tokens) + self.places.weight))


def main():
    args = arguments(batch=(14, 2), length=(64, 16), width=(224, 32), heads=(4, 2), layers=(2, 2), vocab=(512, 64))
    torch.manual_seed(0)
    model = Headlines(args)
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-4, fused=True)
    began, operations = time.perf_counter(), 0
    for step, (tokens, targets) in enumerate(text_batches(args), 1):
        with FlopCounterMode(display=False) as counter:
            loss = next_token_loss(model(tokens), targets)
        operations += 3 * counter.get_total_flops()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)
        if step % 100 == 0:
            print(f"{operations / (time.perf_counter() - began) / 1e9:.1f} GFLOP/s", flush=True)
            began, operations = time.perf_counter(), 0


if __name__ == "__main__":
    main()
