"""A classifier of bags of words with a large vocabulary."""
import torch
import torch.nn as nn
import torch.nn.functional as F

from models import MLP
from training import arguments, log


def bags(args):
    """args.steps pairs of words (batch, length) and classes."""
    generator = torch.Generator().manual_seed(0)
    for _ in range(args.steps):
        words = torch.randint(args.vocab, (args.batch, args.length), generator=generator)
        yield words, words[:, 0] % 16


def main():
    args = arguments(vocab=(200_000, 100), batch=(512, 4), length=(32, 8), width=(1024, 32))
    torch.manual_seed(0)
    words_table = nn.Embedding(args.vocab, 64, sparse=True)
    model = MLP(64, args.width, args.layers, classes=16)
    optimizers = [
        torch.optim.SGD(words_table.parameters(), lr=0.1),
        torch.optim.SGD(model.parameters(), lr=0.1, fused=True),
    ]
    for step, (words, classes) in enumerate(bags(args), 1):
        loss = F.cross_entropy(model(words_table(words).mean(1)), classes)
        for optimizer in optimizers:
            optimizer.zero_grad()
        loss.backward()
        for optimizer in optimizers:
            optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
