import torch
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler


def main(model, dataset, optimizer):
    sampler = DistributedSampler(dataset)  # expect
    loader = DataLoader(dataset, batch_size=32, sampler=sampler)
    for epoch in range(90):
        for x, y in loader:
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(model(x), y).backward()
            optimizer.step()
