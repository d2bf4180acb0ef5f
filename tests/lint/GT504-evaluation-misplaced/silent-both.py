import torch
from torch import nn


def run_epoch(model, loaders, optimizer):
    for x, y in loaders["train"]:
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()
    return score(model, loaders["val"])


def score(model, loader):
    with torch.no_grad():
        return sum(nn.functional.mse_loss(model(x), y) for x, y in loader)


def main(model, optimizer, train_loader, val_loader):
    best = 1e9
    loaders = {"train": train_loader, "val": val_loader}
    for epoch in range(100):
        best = min(best, run_epoch(model, loaders, optimizer))
    model.load_state_dict(torch.load("best.pt"))
    for x, y in val_loader:
        print(model(x), y)
