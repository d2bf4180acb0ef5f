#!/usr/bin/env python3
"""The PyTorch peer of bench/peers: a GPT-2 or Llama of the same shape, written as a careful user would.

Reads a number of steps from each line of standard input and answers with a line of JSON: ms of each, peak_mib.
"""
import argparse
import contextlib
import json
import resource
import sys
import time

import torch
import torch.nn as nn
import torch.nn.functional as F


class Gpt2Block(nn.Module):
    def __init__(self, o):
        super().__init__()
        self.heads = o.heads
        self.norm_1, self.norm_2 = nn.LayerNorm(o.width), nn.LayerNorm(o.width)
        self.qkv, self.proj = nn.Linear(o.width, 3 * o.width), nn.Linear(o.width, o.width)
        self.up, self.down = nn.Linear(o.width, o.hidden), nn.Linear(o.hidden, o.width)

    def forward(self, x, _):
        B, T, C = x.shape
        q, k, v = (t.view(B, T, self.heads, -1).transpose(1, 2) for t in self.qkv(self.norm_1(x)).split(C, dim=2))
        heads = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.proj(heads.transpose(1, 2).reshape(B, T, C))
        return x + self.down(F.gelu(self.up(self.norm_2(x)), approximate="tanh"))


def rotate(x, angles):
    cosine, sine = angles
    a, b = x.chunk(2, dim=-1)
    return torch.cat([a * cosine - b * sine, b * cosine + a * sine], dim=-1)


class LlamaBlock(nn.Module):
    def __init__(self, o):
        super().__init__()
        self.heads, self.kv_heads, self.size = o.heads, o.kv_heads, o.width // o.heads
        self.norm_1, self.norm_2 = nn.RMSNorm(o.width), nn.RMSNorm(o.width)
        self.qkv = nn.Linear(o.width, (o.heads + 2 * o.kv_heads) * self.size, bias=False)
        self.proj = nn.Linear(o.width, o.width, bias=False)
        self.gate_up, self.down = nn.Linear(o.width, 2 * o.hidden, bias=False), nn.Linear(o.hidden, o.width, bias=False)

    def forward(self, x, angles):
        B, T, C = x.shape
        qkv = self.qkv(self.norm_1(x)).view(B, T, -1, self.size).transpose(1, 2)
        q, k, v = qkv.split([self.heads, self.kv_heads, self.kv_heads], dim=1)
        heads = F.scaled_dot_product_attention(rotate(q, angles), rotate(k, angles), v, is_causal=True, enable_gqa=True)
        x = x + self.proj(heads.transpose(1, 2).reshape(B, T, C))
        gate, up = self.gate_up(self.norm_2(x)).chunk(2, dim=-1)
        return x + self.down(F.silu(gate) * up)


class Model(nn.Module):
    def __init__(self, o):
        super().__init__()
        llama = o.model == "llama"
        self.tokens = nn.Embedding(o.vocab, o.width)
        self.positions = None if llama else nn.Embedding(o.context, o.width)
        self.blocks = nn.ModuleList((LlamaBlock if llama else Gpt2Block)(o) for _ in range(o.layers))
        self.norm = nn.RMSNorm(o.width) if llama else nn.LayerNorm(o.width)
        self.head = nn.Linear(o.width, o.vocab, bias=False)
        for p in self.parameters():
            if p.dim() > 1:
                nn.init.normal_(p, std=0.02)
        if not llama:
            self.head.weight = self.tokens.weight
        size = o.width // o.heads
        turns = torch.outer(torch.arange(o.context), 10000.0 ** (-torch.arange(0, size, 2) / size))
        self.register_buffer("cosine", turns.cos())
        self.register_buffer("sine", turns.sin())

    def forward(self, x, y):
        h = self.tokens(x)
        if self.positions is not None:
            h = h + self.positions.weight
        for block in self.blocks:
            h = block(h, (self.cosine, self.sine))
        logits = self.head(self.norm(h))
        return F.cross_entropy(logits.view(-1, logits.shape[-1]), y.view(-1))


def main():
    a = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in "layers heads kv_heads width hidden vocab batch context threads".split():
        a.add_argument(f"--{name}", type=int, required=True)
    a.add_argument("--model", choices=["gpt2", "llama"], default="gpt2")
    a.add_argument("--precision", choices=["f32", "bf16"], default="f32")
    a.add_argument("--compile", action="store_true")
    o = a.parse_args()
    torch.set_num_threads(o.threads)
    torch.manual_seed(0)
    net = Model(o)
    model = torch.compile(net) if o.compile else net
    groups = [{"params": [p for p in net.parameters() if (p.dim() > 1) == decays], "weight_decay": 0.1 * decays}
              for decays in (True, False)]
    optimizer = torch.optim.AdamW(groups, lr=3e-4, betas=(0.9, 0.99), fused=True)
    x, y = (torch.randint(0, o.vocab, (o.batch, o.context)) for _ in range(2))

    def step():
        begin = time.perf_counter()
        half = torch.autocast("cpu", dtype=torch.bfloat16) if o.precision == "bf16" else contextlib.nullcontext()
        with half:
            loss = model(x, y)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        return 1e3 * (time.perf_counter() - begin), loss.item()

    for line in sys.stdin:
        done = [step() for _ in range(int(line))]
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(json.dumps({"ms": [ms for ms, _ in done], "loss": done[-1][1], "peak_mib": peak}), flush=True)


if __name__ == "__main__":
    main()
