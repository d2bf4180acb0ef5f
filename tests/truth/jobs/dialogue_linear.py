"""What a turn of a dialogue wants, by an encoder with linear attention, whose weights need no softmax."""
import torch
import torch.nn as nn
import torch.nn.functional as F

from training import TextDataset, arguments, log

INTENTS = 12


class LinearAttention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(self, x):
        q, k, v = self.qkv(x).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        q, k = F.elu(q) + 1, F.elu(k) + 1
        total = q @ k.sum(2, keepdim=True).transpose(2, 3)
        y = (q @ k.transpose(2, 3)) @ v / total
        return self.out(y.transpose(1, 2).flatten(2))


class Layer(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attention = LinearAttention(width, heads)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class Turns(nn.Module):
    def __init__(self, args):
        super().__init__()
        self.tokens = nn.Embedding(args.vocab, args.width)
        self.places = nn.Parameter(0.02 * torch.randn(args.length, args.width))
        self.layers = nn.Sequential(*[Layer(args.width, args.heads) for _ in range(args.layers)])
        self.head = nn.Linear(args.width, INTENTS)

    def forward(self, tokens):
        return self.head(self.layers(self.tokens(tokens) + self.places).mean(1))


def main():
    args = arguments(batch=(4, 2), length=(288, 16), width=(192, 16), heads=(6, 2), layers=(2, 2))
    torch.manual_seed(0)
    data = TextDataset(args)
    tokens = torch.stack([data[i][0] for i in range(40 * args.batch)])
    intent = tokens[:, :5].sum(1) % INTENTS
    model = Turns(args)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4, fused=True)
    for step in range(1, args.steps + 1):
        chosen = torch.randint(len(tokens), (args.batch,))
        loss = F.cross_entropy(model(tokens[chosen]), intent[chosen])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
