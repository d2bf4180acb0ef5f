"""A language model with retention: what was said fades, for each head at its own rate."""
import torch
import torch.nn as nn

from training import arguments, log, next_token_loss, text_batches


def decay(heads, length):
    """(heads, length, length): what is left of each token for those after it."""
    rates = 1 - 2.0 ** (-5 - torch.arange(heads, dtype=torch.float32))
    age = torch.arange(length).unsqueeze(1) - torch.arange(length)
    return torch.tril(rates.view(heads, 1, 1) ** age.clamp(min=0))


class Retention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkvg = nn.Linear(width, 4 * width, bias=False)
        self.norm = nn.GroupNorm(heads, width)
        self.out = nn.Linear(width, width, bias=False)

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v, gate = self.qkvg(x).chunk(4, -1)
        q, k, v = (t.unflatten(2, (self.heads, -1)).transpose(1, 2) for t in (q, k, v))
        kept = decay(self.heads, length)
        scores = (q * (width // self.heads) ** -0.5) @ k.transpose(2, 3)
        y = (scores * kept) @ v.float()
        y = self.norm(y.transpose(1, 2).reshape(batch * length, width)).view(batch, length, width)
        return self.out(nn.functional.silu(gate) * y)


class RetNet(nn.Module):
    def __init__(self, args):
        super().__init__()
        self.tokens = nn.Embedding(args.vocab, args.width)
        self.retentions = nn.ModuleList(Retention(args.width, args.heads) for _ in range(args.layers))
        self.mlps = nn.ModuleList(
            nn.Sequential(nn.LayerNorm(args.width), nn.Linear(args.width, 2 * args.width), nn.GELU(),
                          nn.Linear(2 * args.width, args.width)) for _ in range(args.layers))
        self.norms = nn.ModuleList(nn.LayerNorm(args.width) for _ in range(args.layers))
        self.head = nn.Linear(args.width, args.vocab)

    def forward(self, tokens):
        x = self.tokens(tokens)
        for norm, retention, mlp in zip(self.norms, self.retentions, self.mlps):
            x = x + retention(norm(x))
            x = x + mlp(x)
        return self.head(x)


def main():
    args = arguments(batch=(2, 2), length=(320, 16), width=(256, 32), heads=(8, 2), layers=(4, 2))
    torch.manual_seed(0)
    model = RetNet(args)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4, fused=True)
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
