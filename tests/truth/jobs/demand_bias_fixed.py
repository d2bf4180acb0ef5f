"""Demand in many shops by what was sold before: a transformer whose heads forget at different speeds."""
import torch
import torch.nn as nn
import torch.nn.functional as F

from training import arguments, log

GOODS = 24


class FadingAttention(nn.Module):
    def __init__(self, width, heads, length):
        super().__init__()
        self.heads = heads
        self.qkv, self.out = nn.Linear(width, 3 * width, bias=False), nn.Linear(width, width)
        age = torch.arange(length)[:, None] - torch.arange(length)
        speed = 2.0 ** -torch.arange(1, heads + 1)
        fading = (-speed[:, None, None] * age).masked_fill(age < 0, float("-inf"))
        self.register_buffer("fading", fading, persistent=False)

    def forward(self, x):
        batch, length, width = x.shape
        depth = width // self.heads
        q, k, v = (t.reshape(batch, length, self.heads, depth).transpose(1, 2) for t in self.qkv(x).chunk(3, dim=-1))
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=self.fading[None])
        return self.out(y.transpose(1, 2).flatten(2))


class Layer(nn.Module):
    def __init__(self, args):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(args.width), nn.LayerNorm(args.width)
        self.attention = FadingAttention(args.width, args.heads, args.length)
        self.mlp = nn.Sequential(nn.Linear(args.width, 4 * args.width), nn.GELU(), nn.Linear(4 * args.width, args.width))

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.mlp(self.norm2(x))


def weeks(args):
    """args.steps pieces (batch, length + 1, GOODS) of what was sold."""
    generator = torch.Generator().manual_seed(0)
    pitch = 0.02 + 0.3 * torch.rand(4, args.batch, 1, GOODS, generator=generator)
    pool = (pitch * torch.arange(args.length + 1)[:, None]).sin()
    for step in range(args.steps):
        yield pool[step % 4]


def main():
    args = arguments(batch=(2, 2), length=(512, 12), width=(128, 16), heads=(4, 2), layers=(2, 2))
    torch.manual_seed(0)
    model = nn.Sequential(
        nn.Linear(GOODS, args.width), *(Layer(args) for _ in range(args.layers)), nn.LayerNorm(args.width),
        nn.Linear(args.width, GOODS))
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-4, fused=True)
    for step, sold in enumerate(weeks(args), 1):
        loss = F.l1_loss(model(sold[:, :-1]), sold[:, 1:])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
