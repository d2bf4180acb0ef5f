"""Vectors of words from the news: a word is told from its neighbours against words drawn by how often they occur."""
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

from training import arguments, log


class Vectors(nn.Module):
    def __init__(self, vocab, width):
        super().__init__()
        self.near, self.word = nn.Embedding(vocab, width, sparse=True), nn.Embedding(vocab, width, sparse=True)
        nn.init.normal_(self.near.weight, std=0.1)
        nn.init.normal_(self.word.weight, std=0.1)

    def forward(self, neighbours, words):
        """How well words (batch, n) fit between neighbours (batch, m)."""
        return torch.bmm(self.word(words), self.near(neighbours).mean(1)[:, :, None]).squeeze(2)


class Drawer:
    """Words, the frequent ones less often than they occur."""

    def __init__(self, counts, seed=0):
        self.rng = np.random.default_rng(seed)
        chance = counts**0.75
        self.below = (chance / chance.sum()).cumsum()
        self.below /= self.below[-1]

    def draw(self, *shape):
        return torch.from_numpy(self.below.searchsorted(self.rng.random(shape), side="right"))


def news(count, vocab, seed=0):
    """Words that come in topics; the first are the most frequent."""
    rng = np.random.default_rng(seed)
    word = (vocab ** rng.random(count)).astype(np.int64) - 1
    return torch.from_numpy((word + np.arange(count) // 50 % 7) % vocab)


def main():
    args = arguments(batch=(4096, 16), vocab=(800_000, 200), width=(64, 8), others=(8, 3), text=(500_000, 2000))
    torch.manual_seed(0)
    text = news(args.text, args.vocab)
    drawer = Drawer(np.bincount(text.numpy(), minlength=args.vocab) + 1.0)
    model = Vectors(args.vocab, args.width)
    optimizer = torch.optim.SGD(model.parameters(), lr=args.batch * 0.02)
    around = torch.tensor([-3, -2, -1, 1, 2, 3])
    wanted = torch.zeros(args.batch, 1 + args.others)
    wanted[:, 0] = 1
    for step in range(1, args.steps + 1):
        at = torch.randint(3, args.text - 3, (args.batch, 1))
        words = torch.cat([text[at], drawer.draw(args.batch, args.others)], 1)
        loss = F.binary_cross_entropy_with_logits(model(text[at + around], words), wanted)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
