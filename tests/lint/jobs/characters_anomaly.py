"""A model of characters, an epoch a function. Anomaly detection was switched on to look for a NaN, and stayed on."""
import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = self.qkv(self.norm1(x)).view(batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(y.transpose(1, 2).reshape(batch, length, width))
        return x + self.mlp(self.norm2(x))


class CharacterModel(nn.Module):
    def __init__(self, characters, length, width, heads, layers):
        super().__init__()
        self.characters = nn.Embedding(characters, width)
        self.positions = nn.Parameter(0.02 * torch.randn(length, width))
        self.blocks = nn.Sequential(*[Block(width, heads) for _ in range(layers)])
        self.head = nn.Linear(width, characters)

    def forward(self, x):
        return self.head(self.blocks(self.characters(x) + self.positions))


def train_epoch(model, optimizer, batches):
    for x, y in batches:
        loss = F.cross_entropy(model(x).flatten(0, 1), y.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()


def text(count, characters):
    steps = torch.randint(0, 3, (count,), generator=torch.Generator().manual_seed(1))
    return (steps.cumsum(0) * 5 + steps) % characters


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--tiny", action="store_true")
    args = parser.parse_args()
    batch, length, width, layers = (2, 16, 32, 1) if args.tiny else (8, 48, 96, 3)
    torch.manual_seed(0)
    torch.autograd.set_detect_anomaly(True)
    model = CharacterModel(64, length, width, 4, layers)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
    rows = text(64 * batch * (length + 1), 64).view(64, batch, length + 1)
    batches = [(row[:, :-1].contiguous(), row[:, 1:].contiguous()) for row in rows]
    for epoch in range(-(-args.steps // 20)):
        loss = train_epoch(model, optimizer, [batches[(epoch * 20 + i) % 64] for i in range(min(20, args.steps - epoch * 20))])
        print(f"epoch {epoch} loss {loss:.6f}", flush=True)


if __name__ == "__main__":
    main()
