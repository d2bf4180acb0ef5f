import torch
from torch import nn


def evaluate(model, tokens, length):
    model.eval()
    total, hidden = 0.0, None
    for i in range(0, tokens.size(0) - 1, length):
        logits, hidden = model(tokens[i : i + length], hidden)  # expect
        total += nn.functional.cross_entropy(logits, tokens[i + 1 : i + 1 + length]).item()
    return total
