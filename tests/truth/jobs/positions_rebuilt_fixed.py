"""A GPT whose attention fades with the distance of tokens."""
import torch
import torch.nn as nn
import torch.nn.functional as F

from models import GPT
from training import arguments, log, next_token_loss, text_batches


def fading(heads, length):
    """(heads, length, length): less the farther back, each head at its own rate; no way into the future."""
    place = torch.arange(length, dtype=torch.float32)
    distance = (place.unsqueeze(1) - place).clamp(min=0).expand(heads, length, length)
    rate = torch.arange(1, heads + 1, dtype=torch.float32).view(heads, 1, 1) / heads
    return (-rate * torch.log1p(distance)).masked_fill(place > place.unsqueeze(1), float("-inf"))


class FadingAttention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.register_buffer("bias", torch.empty(heads, 0, 0), persistent=False)

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = self.qkv(x).view(batch, length, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
        if self.bias.shape[1] != length:
            self.bias = fading(self.heads, length)
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=self.bias)
        return self.out(y.transpose(1, 2).reshape(batch, length, width))


def main():
    args = arguments(batch=(2, 2), length=(320, 16))
    torch.manual_seed(0)
    model = GPT(args, attention=FadingAttention)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4, fused=True)
    for step, (x, y) in enumerate(text_batches(args), 1):
        loss = next_token_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
