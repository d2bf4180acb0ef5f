"""Does one sentence follow from another: their words look at each other, then are compared. Their vectors are given."""
import torch
import torch.nn as nn
import torch.nn.functional as F

from training import arguments, log

VERDICTS = 3  # it follows, it does not, it may be


def stored_vectors(args):
    """(vocab, depth) as they are downloaded, in half precision."""
    return torch.randn(args.vocab, args.depth, generator=torch.Generator().manual_seed(1)).half()


def two_layers(inputs, width):
    return nn.Sequential(nn.Linear(inputs, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU())


class Entailment(nn.Module):
    """Logits (batch, VERDICTS) of two sentences (batch, length) each."""

    def __init__(self, vectors, width, heads):
        super().__init__()
        self.heads = heads
        self.register_buffer("vectors", vectors, persistent=False)
        self.project = nn.Linear(vectors.shape[1], width)
        self.attend, self.compare = two_layers(width, width), two_layers(2 * width, width)
        self.verdict = nn.Sequential(two_layers(2 * width, width), nn.Linear(width, VERDICTS))

    def words(self, sentence):
        return self.project(F.embedding(sentence, self.vectors))

    def split(self, x):
        return x.unflatten(2, (self.heads, -1)).transpose(1, 2)

    def aligned(self, mine, theirs):
        """Each word beside what of the other sentence is like it, compared; the sum of all words."""
        query, key = self.split(self.attend(mine)), self.split(self.attend(theirs))
        like = F.scaled_dot_product_attention(query, key, self.split(theirs)).transpose(1, 2).flatten(2)
        return self.compare(torch.cat([mine, like], 2)).mean(1)

    def forward(self, given, claimed):
        given, claimed = self.words(given), self.words(claimed)
        return self.verdict(torch.cat([self.aligned(given, claimed), self.aligned(claimed, given)], 1))


def sentence_pairs(args):
    """args.steps times two sentences and the verdict."""
    generator = torch.Generator().manual_seed(0)
    pool = torch.randint(args.vocab, (6, 2, args.batch, args.length), generator=generator)
    for step in range(args.steps):
        given, claimed = pool[step % 6]
        yield given, claimed, (given[:, 0] + claimed[:, 0]) % VERDICTS


def main():
    args = arguments(batch=(136, 2), length=(32, 6), width=(192, 8), heads=(3, 2), vocab=(70_000, 40), depth=(128, 6))
    torch.manual_seed(0)
    model = Entailment(stored_vectors(args).float(), args.width, args.heads)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
    for step, (given, claimed, verdict) in enumerate(sentence_pairs(args), 1):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            logits = model(given, claimed)
        loss = F.cross_entropy(logits.float(), verdict)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
