import torch


def evaluate(model, loader):
    with torch.no_grad():
        return sum((model(x).argmax(1) == y).sum() for x, y in loader)


for epoch in range(10):
    for x, y in train_loader:
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()
        best = max(best, evaluate(model, val_loader))  # expect
