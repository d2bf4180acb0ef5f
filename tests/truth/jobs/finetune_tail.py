"""Fine-tunes the upper half of a text encoder, and a new head, to sort support tickets."""
import torch
import torch.nn as nn
import torch.nn.functional as F

from training import TextDataset, arguments, log

QUEUES = 12


class Layer(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.feed = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x):
        q, k, v = self.qkv(self.norm1(x)).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        x = x + self.out(F.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2))
        return x + self.feed(self.norm2(x))


class Encoder(nn.Module):
    """Stands for one that was loaded from a checkpoint."""

    def __init__(self, args):
        super().__init__()
        self.tokens = nn.Embedding(args.vocab, args.width)
        self.places = nn.Parameter(0.02 * torch.randn(args.length, args.width))
        self.layers = nn.ModuleList(Layer(args.width, args.heads) for _ in range(args.layers))
        self.norm = nn.LayerNorm(args.width)

    def forward(self, tokens):
        x = self.tokens(tokens) + self.places
        for layer in self.layers:
            x = layer(x)
        return self.norm(x).mean(1)


def tickets(args, count):
    data = TextDataset(args)
    tokens = torch.stack([data[i][0] for i in range(count)])
    return tokens, tokens.sum(1) % QUEUES


def main():
    args = arguments(batch=(12, 2), length=(48, 16), width=(192, 32), heads=(4, 2), layers=(6, 4), tuned=(4, 2))
    torch.manual_seed(0)
    encoder, head = Encoder(args), nn.Linear(args.width, QUEUES)
    tuned = encoder.layers[-args.tuned :]
    optimizer = torch.optim.AdamW([*tuned.parameters(), *encoder.norm.parameters(), *head.parameters()], lr=3e-4, fused=True)
    tokens, queue = tickets(args, 64 * args.batch)
    for step in range(1, args.steps + 1):
        chosen = torch.randint(len(tokens), (args.batch,))
        loss = F.cross_entropy(head(encoder(tokens[chosen])), queue[chosen])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
