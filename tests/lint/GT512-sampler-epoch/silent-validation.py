import torch
from torch.utils.data import DataLoader, DistributedSampler

sampler = DistributedSampler(val_set, shuffle=False)
loader = DataLoader(val_set, sampler=sampler)
for epoch in range(10):
    for x, y in train_loader:
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()
