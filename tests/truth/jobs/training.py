"""What every job has: its options, something to learn from, and a line of progress."""
import argparse
import os
import types

import numpy as np
import torch
import torch.nn.functional as F

SIZES = {  # name: (size, size with --tiny)
    "batch": (8, 2), "length": (128, 16), "width": (192, 32), "heads": (6, 2), "layers": (3, 2), "vocab": (512, 64),
}


def arguments(**sizes):
    """--steps and --log-every; the sizes of the job as SIZES, or as it says itself."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--log-every", type=int, default=10)
    parser.add_argument("--tiny", action="store_true", help="small sizes, to see whether it runs")
    parser.add_argument("--batch-times", type=int, default=1, help=argparse.SUPPRESS)  # asked for by remedies.py
    args = parser.parse_args()
    chosen = {name: pair[args.tiny] for name, pair in {**SIZES, **sizes}.items()}
    chosen["batch"] *= args.batch_times
    return types.SimpleNamespace(**vars(args), **chosen)


def log(step, loss, args):
    """A line every args.log_every steps, of the first process alone."""
    if step % args.log_every == 0 and os.environ.get("RANK", "0") == "0":
        print(f"step {step} loss {loss.item():.6f}", flush=True)


def next_token_loss(logits, targets):
    return F.cross_entropy(logits.flatten(0, 1), targets.flatten())


def token_stream(args, count=200_000, seed=0):
    """Tokens with something to learn in them: each is near a function of the one before."""
    rng = np.random.default_rng(seed)
    noise = rng.integers(0, 4, count)
    return (np.cumsum(noise) * 7 + noise) % args.vocab


class TextDataset(torch.utils.data.Dataset):
    """Item i: a row of tokens and the same row one token on."""

    def __init__(self, args, seed=0):
        self.stream, self.length = torch.from_numpy(token_stream(args, seed=seed)), args.length
        self.items = args.steps * args.batch

    def __len__(self):
        return self.items

    def __getitem__(self, i):
        start = i * 7919 % (len(self.stream) - self.length - 1)
        row = self.stream[start : start + self.length + 1]
        return row[:-1], row[1:]


def text_batches(args, seed=0, count=None):
    """count or args.steps pairs of inputs and targets, each (batch, length)."""
    dataset = TextDataset(args, seed)
    for step in range(count or args.steps):
        rows = [dataset[step * args.batch + i] for i in range(args.batch)]
        yield tuple(torch.stack(column) for column in zip(*rows))


def labelled_vectors(args, inputs, classes):
    """args.steps pairs of vectors (batch, inputs) and their classes."""
    generator = torch.Generator().manual_seed(0)
    pool = torch.randn(16 * args.batch, inputs, generator=generator)
    labels = torch.randint(classes, (len(pool),), generator=generator)
    for step in range(args.steps):
        at = step % 16 * args.batch
        yield pool[at : at + args.batch], labels[at : at + args.batch]


def labelled_images(args, side, classes):
    """args.steps pairs of images (batch, 3, side, side) and their classes."""
    for x, y in labelled_vectors(args, 3 * side * side, classes):
        yield x.view(-1, 3, side, side), y
