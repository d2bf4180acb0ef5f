"""A GPT whose attention looks back over a window."""
import torch
import torch.nn as nn
import torch.nn.functional as F

from models import GPT
from training import arguments, log, next_token_loss, text_batches


WINDOW = 64


def window_mask(batch, heads, length):
    """(batch, heads, length, length): what each token may look at."""
    mask = torch.zeros(batch, heads, length, length)
    distance = torch.arange(length).unsqueeze(1) - torch.arange(length)
    return mask.masked_fill((distance < 0) | (distance >= WINDOW), float("-inf"))


class WindowAttention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = self.qkv(x).view(batch, length, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
        mask = window_mask(batch, self.heads, length)
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        return self.out(y.transpose(1, 2).reshape(batch, length, width))


def main():
    args = arguments(batch=(4, 2), length=(256, 16))
    torch.manual_seed(0)
    model = GPT(args, attention=WindowAttention)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4, fused=True)
    for step, (x, y) in enumerate(text_batches(args), 1):
        loss = next_token_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
