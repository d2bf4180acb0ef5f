"""Fine-tunes a frozen decoder on instructions through low-rank adapters in its linear layers."""
import torch
import torch.nn as nn
import torch.nn.functional as F

from training import arguments, log, next_token_loss, text_batches


class LoRALinear(nn.Module):
    def __init__(self, inputs, outputs, rank=8, alpha=16):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(outputs, inputs) * inputs**-0.5, requires_grad=False)
        self.bias = nn.Parameter(torch.zeros(outputs), requires_grad=False)
        self.down = nn.Parameter(torch.randn(rank, inputs) * inputs**-0.5)
        self.up = nn.Parameter(torch.zeros(outputs, rank))
        self.scale = alpha / rank

    def forward(self, x):
        weight = self.weight + self.scale * (self.up @ self.down)
        return F.linear(x, weight, self.bias)


class Layer(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = LoRALinear(width, 3 * width), LoRALinear(width, width)
        self.wide, self.narrow = LoRALinear(width, 4 * width), LoRALinear(4 * width, width)

    def forward(self, x):
        q, k, v = self.qkv(self.norm1(x)).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        x = x + self.out(F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2))
        return x + self.narrow(F.gelu(self.wide(self.norm2(x))))


class Decoder(nn.Module):
    def __init__(self, args):
        super().__init__()
        self.tokens = nn.Embedding(args.vocab, args.width)
        self.places = nn.Parameter(0.02 * torch.randn(args.length, args.width))
        self.layers = nn.Sequential(*[Layer(args.width, args.heads) for _ in range(args.layers)])
        self.norm, self.head = nn.LayerNorm(args.width), nn.Linear(args.width, args.vocab)

    def forward(self, tokens):
        return self.head(self.norm(self.layers(self.tokens(tokens) + self.places)))


def adapters(model):
    """Freezes all but the adapters, and gives those."""
    for name, parameter in model.named_parameters():
        parameter.requires_grad_(name.endswith((".up", ".down")))
    return [p for p in model.parameters() if p.requires_grad]


def main():
    args = arguments(batch=(3, 2), length=(64, 16), width=(512, 32), heads=(8, 2), layers=(2, 2), vocab=(256, 64))
    torch.manual_seed(0)
    model = Decoder(args)
    optimizer = torch.optim.AdamW(adapters(model), lr=1e-3, fused=True)
    for step, (tokens, targets) in enumerate(text_batches(args), 1):
        loss = next_token_loss(model(tokens), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
