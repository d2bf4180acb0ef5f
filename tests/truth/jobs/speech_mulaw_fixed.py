"""Speech as a language: each sample is a word, one of 256 levels that are finer where it is quiet."""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F

from training import arguments, log

LEVELS = 256


class Voice(nn.Module):
    """Logits (batch, length, LEVELS) of the next word, by gated convolutions over the past."""

    def __init__(self, width, layers):
        super().__init__()
        self.words = nn.Embedding(LEVELS, width)
        self.layers = nn.ModuleList(nn.Conv1d(width, 2 * width, 2, dilation=2**i) for i in range(layers))
        self.head = nn.Linear(width, LEVELS)

    def forward(self, words):
        x = self.words(words).transpose(1, 2)
        for layer in self.layers:
            x = x + F.glu(layer(F.pad(x, (layer.dilation[0], 0))), 1)
        return self.head(x.transpose(1, 2))


def pieces(args):
    """args.steps pieces (batch, length + 1) of sound between -1 and 1."""
    generator = torch.Generator().manual_seed(0)
    pitch = 0.02 + 0.3 * torch.rand(6, args.batch, 1, generator=generator)
    pool = (pitch * torch.arange(args.length + 1)).sin() * torch.rand(6, args.batch, 1, generator=generator)
    for step in range(args.steps):
        yield pool[step % 6]


def to_words(sound):
    """Mu-law: the levels of samples between -1 and 1."""
    loudness = torch.log1p((LEVELS - 1) * sound.abs().double()) / math.log(LEVELS)
    return ((torch.copysign(loudness, sound) + 1) / 2 * (LEVELS - 1) + 0.5).long()


def main():
    args = arguments(batch=(16, 2), length=(512, 16), width=(64, 8), layers=(3, 2))
    torch.manual_seed(0)
    model = Voice(args.width, args.layers)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
    for step, piece in enumerate(pieces(args), 1):
        words = to_words(piece)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            logits = model(words[:, :-1])
        loss = F.cross_entropy(logits.float().flatten(0, 1), words[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
