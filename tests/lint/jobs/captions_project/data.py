"""Pictures as vectors, and the words that tell of them."""
import torch


def make_batches(count, batch, length, words, inputs):
    generator = torch.Generator().manual_seed(1)
    pictures = torch.randn(count, batch, inputs, generator=generator)
    first = (pictures[:, :, :1] * 10).long().remainder(words)
    return pictures, (first + torch.arange(length + 1)).remainder(words)
