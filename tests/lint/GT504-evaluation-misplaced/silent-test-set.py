import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader


def main(model, optimizer, train_set, test_set):
    train_loader = DataLoader(train_set, batch_size=64, shuffle=True)
    test_loader = DataLoader(test_set, batch_size=64)
    for epoch in range(10):
        for x, y in train_loader:
            optimizer.zero_grad()
            F.cross_entropy(model(x), y).backward()
            optimizer.step()
    for x, y in test_loader:
        print((model(x).argmax(1) == y).float().mean())


def loaders(train_set, val_set):
    val_loader = DataLoader(val_set, batch_size=64)
    return DataLoader(train_set, batch_size=64), val_loader
