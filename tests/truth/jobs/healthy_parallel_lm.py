"""A causal language model whose attention and layers run side by side, in bfloat16."""
import torch
import torch.nn as nn
import torch.nn.functional as F

from training import arguments, log, next_token_loss, text_batches


class SideBySide(nn.Module):
    """One product in, attention and activation, one product out."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads, self.parts = heads, [3 * width, 3 * width]
        self.norm = nn.LayerNorm(width)
        self.inward = nn.Linear(width, 6 * width, bias=False)
        self.outward = nn.Linear(4 * width, width, bias=False)

    def forward(self, x):
        qkv, hidden = self.inward(self.norm(x)).split(self.parts, -1)
        q, k, v = qkv.unflatten(2, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2)
        return x + self.outward(torch.cat([y, F.gelu(hidden)], -1))


class LanguageModel(nn.Module):
    def __init__(self, args):
        super().__init__()
        self.tokens = nn.Embedding(args.vocab, args.width)
        self.places = nn.Parameter(0.02 * torch.randn(args.length, args.width))
        self.blocks = nn.Sequential(*(SideBySide(args.width, args.heads) for _ in range(args.layers)))
        self.norm = nn.LayerNorm(args.width)

    def forward(self, tokens):
        return F.linear(self.norm(self.blocks(self.tokens(tokens) + self.places)), self.tokens.weight)


def main():
    args = arguments(batch=(8, 2), length=(192, 16), width=(256, 32), heads=(4, 2), layers=(3, 2))
    torch.manual_seed(0)
    model = LanguageModel(args)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4, betas=(0.9, 0.95), fused=True)
    for step, (x, y) in enumerate(text_batches(args), 1):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            logits = model(x)
        loss = next_token_loss(logits.float(), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
