"""A GPT that takes no chances with views."""
import torch
import torch.nn as nn
import torch.nn.functional as F

from models import GPT
from training import arguments, log, next_token_loss, text_batches


class Attention(nn.Module):
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


class Gelu(nn.Module):
    def forward(self, x):
        return F.gelu(x)


def main():
    args = arguments(batch=(16, 2), width=(96, 32), layers=(4, 2))
    torch.manual_seed(0)
    model = GPT(args, attention=Attention, activation=Gelu)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4, fused=True)
    for step, (x, y) in enumerate(text_batches(args), 1):
        loss = next_token_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
