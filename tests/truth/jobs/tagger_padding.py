"""A tagger of words with a GRU, over sentences of different length."""
import torch
import torch.nn as nn
import torch.nn.functional as F

from training import arguments, log, token_stream

TAGS, NO_TAG, PAD = 9, -100, 0


class Tagger(nn.Module):
    """Tags (rows, length, TAGS) of words (rows, length), read from left to right."""

    def __init__(self, args):
        super().__init__()
        self.words = nn.Embedding(args.vocab, args.width)
        self.gru = nn.GRU(args.width, args.width, num_layers=args.layers, batch_first=True)
        self.head = nn.Sequential(nn.Linear(args.width, args.width), nn.Tanh(), nn.Linear(args.width, TAGS))

    def forward(self, words):
        return self.head(self.gru(self.words(words))[0])


def sentences(args):
    """args.steps lists of sentences; few are nearly as long as args.length."""
    stream = torch.from_numpy(token_stream(args)).clamp(min=1)
    generator = torch.Generator().manual_seed(0)
    for _ in range(args.steps):
        lengths = torch.randint(args.length // 4, 13 * args.length // 16, (args.batch,), generator=generator)
        starts = torch.randint(len(stream) - args.length, (args.batch,), generator=generator)
        yield [stream[s : s + n] for s, n in zip(starts.tolist(), lengths.tolist())]


def filled(rows, length, value):
    return torch.stack([F.pad(row, (0, length - len(row)), value=value) for row in rows])


def main():
    args = arguments(batch=(48, 2), length=(128, 16), width=(96, 16), layers=(1, 1))
    torch.manual_seed(0)
    model = Tagger(args)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, fused=True)
    for step, rows in enumerate(sentences(args), 1):
        longest = args.length
        words = filled(rows, longest, PAD)
        tags = filled([(row * 5 + row.roll(1)) % TAGS for row in rows], longest, NO_TAG)
        loss = F.cross_entropy(model(words).flatten(0, 1), tags.flatten(), ignore_index=NO_TAG)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
