import torch
from data import train_loader

for epoch in range(10):
    for x, y in train_loader(dataset, 64):
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()
