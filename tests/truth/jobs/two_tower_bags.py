"""Questions and answers, each a bag of words, brought near to each other: two towers and a contrastive loss."""
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

from training import arguments, log

TEMPERATURE = 0.07


class Pairs(Dataset):
    """Item i: the words of a question and of its answer, as lists."""

    def __init__(self, args):
        rng = np.random.default_rng(0)
        topics = rng.integers(0, args.vocab, 2048)
        self.pairs = []
        for topic in topics:
            question = (topic + rng.integers(0, 40, rng.integers(4, 9))) % args.vocab
            answer = (topic + rng.integers(0, 40, rng.integers(8, 14))) % args.vocab
            self.pairs.append((question.tolist(), answer.tolist()))
        self.items = args.steps * args.batch

    def __len__(self):
        return self.items

    def __getitem__(self, i):
        return self.pairs[i % len(self.pairs)]


class CollateBags:
    def __init__(self, vocab):
        self.vocab = vocab

    def bags(self, rows):
        """(rows, vocab): how often each word is in each row."""
        bags = torch.zeros(len(rows), self.vocab)
        for r, words in enumerate(rows):
            for word in words:
                bags[r, word] += 1
        return bags

    def collate(self, pairs):
        questions, answers = zip(*pairs)
        return self.bags(questions), self.bags(answers)


class Tower(nn.Module):
    """A unit vector for each bag of words (batch, vocab)."""

    def __init__(self, vocab, width):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(vocab, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, width // 2))

    def forward(self, bags):
        return F.normalize(self.net(bags).float(), dim=-1)


def main():
    args = arguments(batch=(64, 4), vocab=(6000, 64), width=(1024, 16))
    torch.manual_seed(0)
    towers = nn.ModuleList([Tower(args.vocab, args.width), Tower(args.vocab, args.width)])
    optimizer = torch.optim.AdamW(towers.parameters(), lr=1e-3, fused=True)
    loader = DataLoader(Pairs(args), batch_size=args.batch, collate_fn=CollateBags(args.vocab).collate)
    own = torch.arange(args.batch)
    for step, (questions, answers) in enumerate(loader, 1):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            q, a = towers[0](questions), towers[1](answers)
        scores = q @ a.T / TEMPERATURE
        loss = (F.cross_entropy(scores, own) + F.cross_entropy(scores.T, own)) / 2
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
