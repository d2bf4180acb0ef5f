"""The models that the jobs train. Nothing in here is planted: a job that is slow has the cause in its own file."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class CausalAttention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = self.qkv(x).view(batch, length, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out(y.transpose(1, 2).reshape(batch, length, width))


class Block(nn.Module):
    """attention(width, heads), norm(width) and activation() make its parts."""

    def __init__(self, width, heads, attention=CausalAttention, norm=nn.LayerNorm, activation=nn.GELU):
        super().__init__()
        self.norm1, self.attention = norm(width), attention(width, heads)
        self.norm2 = norm(width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), activation(), nn.Linear(4 * width, width))

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class GPT(nn.Module):
    """Logits (batch, length, vocab) of tokens (batch, length)."""

    def __init__(self, args, **parts):
        super().__init__()
        self.tokens = nn.Embedding(args.vocab, args.width)
        self.positions = nn.Parameter(0.02 * torch.randn(args.length, args.width))
        self.blocks = nn.ModuleList(Block(args.width, args.heads, **parts) for _ in range(args.layers))
        self.norm = nn.LayerNorm(args.width)
        self.head = nn.Linear(args.width, args.vocab, bias=False)

    def forward(self, tokens):
        x = self.tokens(tokens) + self.positions[: tokens.shape[1]]
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


class MLP(nn.Module):
    def __init__(self, inputs, hidden, layers, classes):
        super().__init__()
        widths = [inputs] + [hidden] * layers
        parts = [p for a, b in zip(widths, widths[1:]) for p in (nn.Linear(a, b), nn.ReLU())]
        self.net = nn.Sequential(*parts, nn.Linear(hidden, classes))

    def forward(self, x):
        return self.net(x)
