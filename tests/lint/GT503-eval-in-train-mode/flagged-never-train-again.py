import torch
import torch.nn.functional as F
from torch import nn

model = nn.Sequential(nn.Linear(784, 256), nn.BatchNorm1d(256), nn.ReLU(), nn.Linear(256, 10))
optimizer = torch.optim.Adam(model.parameters())


def accuracy(loader):
    model.eval()  # expect
    with torch.no_grad():
        return sum((model(x).argmax(1) == y).sum() for x, y in loader)


for epoch in range(10):
    for x, y in train_loader:
        optimizer.zero_grad()
        F.cross_entropy(model(x), y).backward()
        optimizer.step()
    print(epoch, accuracy(val_loader))
