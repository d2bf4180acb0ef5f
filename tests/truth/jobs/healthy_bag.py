"""A classifier of bags of words: an EmbeddingBag with sparse gradients."""
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
    args = arguments(vocab=(100_000, 100), batch=(512, 4), length=(32, 8), width=(1024, 32))
    torch.manual_seed(0)
    words_table = nn.EmbeddingBag(args.vocab, 64, mode="mean", sparse=True)
    model = MLP(64, args.width, args.layers, classes=16)
    table_optimizer = torch.optim.SGD(words_table.parameters(), lr=0.1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, fused=True)
    for step, (words, classes) in enumerate(bags(args), 1):
        with torch.autocast("cpu", torch.bfloat16):
            loss = F.cross_entropy(model(words_table(words)), classes)
        table_optimizer.zero_grad()
        optimizer.zero_grad()
        loss.backward()
        table_optimizer.step()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
