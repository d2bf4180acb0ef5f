"""Marks the names in sentences: a two-way LSTM under a linear-chain conditional random field."""
import torch
import torch.nn as nn

from training import arguments, log

TAGS = 9


class CRF(nn.Module):
    def __init__(self, tags):
        super().__init__()
        self.start, self.end = nn.Parameter(torch.zeros(tags)), nn.Parameter(torch.zeros(tags))
        self.follow = nn.Parameter(0.1 * torch.randn(tags, tags))

    def of_path(self, scores, tags):
        """The score of the right tags (batch,)."""
        rows = torch.arange(len(tags))
        total = self.start[tags[:, 0]] + scores[rows, 0, tags[:, 0]]
        total = total + self.follow[tags[:, :-1], tags[:, 1:]].sum(1)
        total = total + scores[:, 1:].gather(2, tags[:, 1:, None]).sum((1, 2))
        return total + self.end[tags[:, -1]]

    def of_all(self, scores):
        """The logarithm of the sum over all paths (batch,)."""
        alpha = self.start + scores[:, 0]
        for emitted in scores.unbind(1)[1:]:
            alpha = torch.logsumexp(alpha[:, :, None] + self.follow, 1) + emitted
        return torch.logsumexp(alpha + self.end, 1)

    def forward(self, scores, tags):
        return (self.of_all(scores) - self.of_path(scores, tags)).mean()


class Tagger(nn.Module):
    def __init__(self, vocab, width):
        super().__init__()
        self.words = nn.Embedding(vocab, width)
        self.lstm = nn.LSTM(width, width // 2, bidirectional=True, batch_first=True)
        self.head, self.crf = nn.Linear(width, TAGS), CRF(TAGS)

    def forward(self, words, tags):
        return self.crf(self.head(self.lstm(self.words(words))[0]), tags)


def sentences(count, length, vocab, seed=0):
    """A tag lasts for a while and colours its words."""
    rng = torch.Generator().manual_seed(seed)
    tags = torch.randint(TAGS, (count, length // 2 + 1), generator=rng).repeat_interleave(2, 1)[:, :length]
    noise = torch.randint(vocab, (count, length), generator=rng)
    words = torch.where(torch.rand(count, length, generator=rng) < 0.6, (tags * 31 + noise % 7) % vocab, noise)
    return words, tags


def main():
    args = arguments(batch=(32, 3), length=(80, 8), width=(160, 16), vocab=(2000, 50))
    torch.manual_seed(0)
    model = Tagger(args.vocab, args.width)
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3, fused=True)
    words, tags = sentences(40 * args.batch, args.length, args.vocab)
    for step in range(1, args.steps + 1):
        chosen = torch.randint(len(words), (args.batch,))
        loss = model(words[chosen], tags[chosen])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
