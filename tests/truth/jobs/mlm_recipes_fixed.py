"""Pre-trains an encoder on recipes: some words of each are hidden and have to be told from the others."""
import torch
import torch.nn as nn
import torch.nn.functional as F

from training import TextDataset, arguments, log

HIDDEN, MASK, IGNORED = 0.15, 0, -100


class Encoder(nn.Module):
    def __init__(self, args):
        super().__init__()
        self.tokens = nn.Embedding(args.vocab, args.width)
        self.places = nn.Parameter(0.02 * torch.randn(args.length, args.width))
        layer = nn.TransformerEncoderLayer(args.width, args.heads, 4 * args.width, dropout=0.0, activation="gelu", batch_first=True, norm_first=True)
        self.layers = nn.TransformerEncoder(layer, args.layers, enable_nested_tensor=False)

    def forward(self, tokens):
        return self.layers(self.tokens(tokens) + self.places)


class Guess(nn.Module):
    """Logits of all words for vectors of words."""

    def __init__(self, width, vocab):
        super().__init__()
        self.body, self.words = nn.Sequential(nn.Linear(width, width), nn.GELU(), nn.LayerNorm(width)), nn.Linear(width, vocab)

    def forward(self, x):
        return self.words(self.body(x))


class Recipes(nn.Module):
    def __init__(self, args):
        super().__init__()
        self.encoder, self.guess = Encoder(args), Guess(args.width, args.vocab)

    def forward(self, tokens, labels):
        hidden = labels != IGNORED
        return F.cross_entropy(self.guess(self.encoder(tokens)[hidden]), labels[hidden])


def hide(tokens):
    hidden = torch.rand(tokens.shape) < HIDDEN
    return tokens.masked_fill(hidden, MASK), tokens.masked_fill(~hidden, IGNORED)


def main():
    args = arguments(batch=(8, 2), length=(96, 16), width=(192, 16), heads=(4, 2), layers=(3, 2), vocab=(1200, 64))
    torch.manual_seed(0)
    data = TextDataset(args)
    recipes = torch.stack([data[i][0] for i in range(60 * args.batch)])
    model = Recipes(args)
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-4, fused=True)
    for step in range(1, args.steps + 1):
        tokens, labels = hide(recipes[torch.randint(len(recipes), (args.batch,))])
        loss = model(tokens, labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
