import torch
import torch.nn.functional as F
from torch import nn

model = nn.Sequential(nn.Linear(784, 256), nn.BatchNorm1d(256), nn.ReLU(), nn.Linear(256, 10))
optimizer = torch.optim.Adam(model.parameters())


for epoch in range(10):
    for x, y in train_loader:
        optimizer.zero_grad()
        F.cross_entropy(model(x), y).backward()
        optimizer.step()
model.eval()
with torch.no_grad():
    for x, y in test_loader:
        correct = (model(x).argmax(1) == y).sum()
