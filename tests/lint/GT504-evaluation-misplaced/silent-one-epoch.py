import torch
import torch.nn.functional as F


def one_epoch(model, optimizer, train_loader, val_loader, steps):
    for step, (x, y) in enumerate(train_loader):
        optimizer.zero_grad()
        F.cross_entropy(model(x), y).backward()
        optimizer.step()
    with torch.no_grad():
        return sum(F.cross_entropy(model(x), y) for x, y in val_loader)


def fit(model, optimizer, batches, val_batches):
    for i in range(len(batches)):
        F.cross_entropy(model(batches[i]), 0).backward()
        optimizer.step()
    for val_batch in val_batches:
        print(model(val_batch))


def main(model, optimizer, batches, val_batches):
    for epoch in range(10):
        fit(model, optimizer, batches, val_batches)
