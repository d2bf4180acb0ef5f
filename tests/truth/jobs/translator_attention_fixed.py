"""A translator: an encoder, a decoder that looks at it, and sources of different length."""
import torch
import torch.nn as nn
import torch.nn.functional as F

from training import arguments, log, next_token_loss, text_batches


class Attention(nn.Module):
    """Queries from x, keys and values from memory; where mask is False nothing is seen. Scores are in float32."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.q, self.kv, self.out = nn.Linear(width, width), nn.Linear(width, 2 * width), nn.Linear(width, width)

    def forward(self, x, memory, mask):
        q = self.q(x).unflatten(2, (self.heads, -1)).transpose(1, 2)
        k, v = self.kv(memory).unflatten(2, (2, self.heads, -1)).permute(2, 0, 3, 1, 4)
        with torch.autocast("cpu", enabled=False):
            y = F.scaled_dot_product_attention(q.float(), k.float(), v.float(), attn_mask=mask)
        return self.out(y.transpose(1, 2).flatten(2))


class Layer(nn.Module):
    """Self attention, attention to a memory if there is one, and a stack of two layers."""

    def __init__(self, width, heads, decoder):
        super().__init__()
        self.norms = nn.ModuleList(nn.RMSNorm(width) for _ in range(3 if decoder else 2))
        self.own = Attention(width, heads)
        self.other = Attention(width, heads) if decoder else None
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.ReLU(), nn.Linear(4 * width, width))

    def forward(self, x, mask, memory=None, memory_mask=None):
        y = self.norms[0](x)
        x = x + self.own(y, y, mask)
        if self.other is not None:
            x = x + self.other(self.norms[1](x), memory, memory_mask)
        return x + self.mlp(self.norms[-1](x))


class Translator(nn.Module):
    def __init__(self, args):
        super().__init__()
        self.tokens = nn.Embedding(args.vocab, args.width)
        self.places = nn.Parameter(0.02 * torch.randn(args.length, args.width))
        self.encoder = nn.ModuleList(Layer(args.width, args.heads, decoder=False) for _ in range(args.layers))
        self.decoder = nn.ModuleList(Layer(args.width, args.heads, decoder=True) for _ in range(args.layers))
        self.head = nn.Linear(args.width, args.vocab)
        self.register_buffer("causal", torch.ones(args.length, args.length, dtype=torch.bool).tril(), persistent=False)

    def embed(self, tokens):
        return self.tokens(tokens) + self.places[: tokens.shape[1]]

    def forward(self, source, there, target):
        memory, mask = self.embed(source), there[:, None, None, :]
        for layer in self.encoder:
            memory = layer(memory, mask)
        x, length = self.embed(target), target.shape[1]
        for layer in self.decoder:
            x = layer(x, self.causal[:length, :length], memory, mask)
        return self.head(x)


def main():
    args = arguments(batch=(8, 2), length=(160, 16), width=(128, 32), heads=(4, 2), layers=(2, 2))
    torch.manual_seed(0)
    model = Translator(args)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4, fused=True)
    generator = torch.Generator().manual_seed(0)
    places = torch.arange(args.length)
    for step, (source, _) in enumerate(text_batches(args), 1):
        lengths = torch.randint(3 * args.length // 4, args.length + 1, (args.batch, 1), generator=generator)
        target = source.flip(1)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            logits = model(source, places < lengths, target[:, :-1])
        loss = next_token_loss(logits.float(), target[:, 1:])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
