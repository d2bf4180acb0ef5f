import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader
from torchvision import datasets, models, transforms

WORKERS = 4


def train_epoch(model, loader, optimizer):
    for x, y in loader:
        loss = F.cross_entropy(model(x.cuda()), y.cuda())
        loss.backward()
        optimizer.step()


def main(model, optimizer, epochs):
    train_set = datasets.ImageFolder("train", transforms.ToTensor())
    train_loader = DataLoader(train_set, 256, num_workers=WORKERS)  # expect
    for epoch in range(epochs):
        train_epoch(model, train_loader, optimizer)
