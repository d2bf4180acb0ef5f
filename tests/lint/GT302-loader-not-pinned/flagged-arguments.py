import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader
from torchvision import datasets, models, transforms


def loaders(args):
    train_set = datasets.CIFAR10("data", transform=transforms.ToTensor())
    train_loader = DataLoader(  # expect
        train_set,
        batch_size=args.batch_size,
        num_workers=args.workers,
    )
    return train_loader


def train(model, optimizer, loader):
    for x, y in loader:
        loss = F.cross_entropy(model(x.to("cuda")), y.to("cuda"))
        loss.backward()
        optimizer.step()
