"""A tagger of words with a GRU; its sentences are kept as objects."""
import dataclasses
import gc

import torch
import torch.nn as nn
import torch.nn.functional as F

from training import arguments, log, token_stream

TAGS, FREE_EVERY = 9, 10


@dataclasses.dataclass
class Word:
    token: int
    tag: int


class Tagger(nn.Module):
    """Tags (rows, length, TAGS) of words (rows, length), read from left to right."""

    def __init__(self, args):
        super().__init__()
        self.words = nn.Embedding(args.vocab, args.width)
        self.gru = nn.GRU(args.width, args.width, num_layers=args.layers, batch_first=True)
        self.head = nn.Sequential(nn.Linear(args.width, args.width), nn.Tanh(), nn.Linear(args.width, TAGS))

    def forward(self, words):
        return self.head(self.gru(self.words(words))[0])


def treebank(args):
    """Sentences of args.length words."""
    tokens = token_stream(args, count=args.sentences * args.length).tolist()
    words = [Word(token, (token + before) % TAGS) for before, token in zip(tokens, tokens[1:] + tokens[:1])]
    return [words[at : at + args.length] for at in range(0, len(words), args.length)]


def batch(sentences, step, size):
    """Tokens and tags, each (size, length)."""
    rows = [sentences[(step * size + i) % len(sentences)] for i in range(size)]
    return torch.tensor([[word.token for word in row] for row in rows]), torch.tensor([[word.tag for word in row] for row in rows])


def free_memory():
    gc.collect()


def main():
    args = arguments(batch=(48, 2), length=(96, 16), width=(128, 16), layers=(1, 1), sentences=(1000, 50))
    torch.manual_seed(0)
    sentences = treebank(args)
    model = Tagger(args)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, fused=True)
    for step in range(1, args.steps + 1):
        words, tags = batch(sentences, step, args.batch)
        loss = F.cross_entropy(model(words).flatten(0, 1), tags.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)
        if step % FREE_EVERY == 0:
            free_memory()


if __name__ == "__main__":
    main()
