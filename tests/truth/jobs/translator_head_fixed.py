"""From one language into another: convolutions read, others write; then comes the choice among all words."""
import torch
import torch.nn as nn
import torch.nn.functional as F

from training import arguments, log


class Reader(nn.Module):
    """What each word of (batch, length) means where it stands: (batch, length, width)."""

    def __init__(self, args, past_only):
        super().__init__()
        self.pad = (4, 0) if past_only else (2, 2)
        self.words = nn.Embedding(args.vocab, args.width)
        self.convs = nn.ModuleList(nn.Conv1d(args.width, 2 * args.width, 5) for _ in range(args.layers))

    def forward(self, words, told=0.0):
        x = self.words(words).transpose(1, 2) + told
        for conv in self.convs:
            x = x + F.glu(conv(F.pad(x, self.pad)), 1)
        return x.transpose(1, 2)


class Translator(nn.Module):
    """What is to be said at each place of the translation so far."""

    def __init__(self, args):
        super().__init__()
        self.source, self.target = Reader(args, past_only=False), Reader(args, past_only=True)

    def forward(self, source, target):
        return self.target(target, told=self.source(source).mean(1).unsqueeze(2))


def sentences(args):
    """args.steps pairs of sentences (batch, length) and their translations (batch, length + 1)."""
    generator = torch.Generator().manual_seed(0)
    for _ in range(args.steps):
        source = torch.randint(1, args.vocab, (args.batch, args.length), generator=generator)
        yield source, F.pad((source * 3 + 1) % args.vocab, (1, 0))


def main():
    args = arguments(batch=(24, 2), length=(40, 8), width=(320, 8), layers=(1, 1), vocab=(1600, 50))
    torch.manual_seed(0)
    model, head = Translator(args), nn.Linear(args.width, args.vocab)
    optimizer = torch.optim.AdamW([*model.parameters(), *head.parameters()], lr=5e-4, fused=True)
    for step, (source, target) in enumerate(sentences(args), 1):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            logits = head(model(source, target[:, :-1]))
        loss = F.cross_entropy(logits.float().flatten(0, 1), target[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
