import torch


@torch.inference_mode()
def evaluate(model, loader):
    return sum((model(x).argmax(1) == y).sum() for x, y in loader)


def score(model, loader):
    with torch.no_grad():
        return measure(model, loader)


def measure(model, test_loader):
    total = 0
    for x, y in test_loader:
        total += (model(x) - y).abs().sum()
    return total
