import torch


def accuracy(logits, target):
    return (logits.argmax(1) == target).float().mean().item()  # expect


def train(model, loader, optimizer):
    for x, y in loader:
        x, y = x.cuda(), y.cuda()
        logits = model(x)
        torch.nn.functional.cross_entropy(logits, y).backward()
        optimizer.step()
        print(accuracy(logits, y))
