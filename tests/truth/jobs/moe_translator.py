"""A language model whose feed-forward layers are four experts, of which each token is sent to the best two."""
import torch
import torch.nn as nn
import torch.nn.functional as F

from training import arguments, log, next_token_loss, text_batches

EXPERTS, CHOSEN = 4, 2
BALANCE = 0.01


class Mixture(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.router = nn.Linear(width, EXPERTS, bias=False)
        self.experts = nn.ModuleList(nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width)) for _ in range(EXPERTS))

    def forward(self, x):
        """The mixture, and how unevenly the experts are used."""
        flat = x.flatten(0, 1)
        chance = self.router(flat).softmax(-1)
        best, which = chance.topk(CHOSEN, dim=-1)
        gates = torch.zeros_like(chance).scatter(1, which, best / best.sum(-1, keepdim=True))
        out = torch.zeros_like(flat)
        for gate, expert in zip(gates.unbind(1), self.experts):
            out = out + gate[:, None] * expert(flat)
        uneven = EXPERTS * ((gates > 0).float().mean(0) * chance.mean(0)).sum()
        return out.view_as(x), uneven


class Layer(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.mixture = Mixture(width)

    def forward(self, x):
        q, k, v = self.qkv(self.norm1(x)).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        x = x + self.out(F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2))
        mixed, uneven = self.mixture(self.norm2(x))
        return x + mixed, uneven


class Model(nn.Module):
    def __init__(self, args):
        super().__init__()
        self.tokens, self.places = nn.Embedding(args.vocab, args.width), nn.Embedding(args.length, args.width)
        self.layers = nn.ModuleList(Layer(args.width, args.heads) for _ in range(args.layers))
        self.norm, self.head = nn.LayerNorm(args.width), nn.Linear(args.width, args.vocab)

    def forward(self, tokens):
        x, total = self.tokens(tokens) + self.places.weight, 0.0
        for layer in self.layers:
            x, uneven = layer(x)
            total = total + uneven
        return self.head(self.norm(x)), total


def main():
    args = arguments(batch=(4, 2), length=(96, 16), width=(160, 32), heads=(4, 2), layers=(2, 2), vocab=(512, 64))
    torch.manual_seed(0)
    model = Model(args)
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-4, fused=True)
    for step, (tokens, targets) in enumerate(text_batches(args), 1):
        logits, uneven = model(tokens)
        loss = next_token_loss(logits, targets) + BALANCE * uneven
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
