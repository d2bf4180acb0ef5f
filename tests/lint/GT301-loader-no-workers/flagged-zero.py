import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader
from torchvision import datasets, models, transforms


def train_loader(folder, batch_size):
    data = datasets.ImageFolder(folder, transforms.RandomResizedCrop(224))
    return DataLoader(data, batch_size=batch_size, num_workers=0)  # expect


def train(model, optimizer):
    for x, y in train_loader("train", 64):
        loss = F.cross_entropy(model(x.to("cuda")), y.to("cuda"))
        loss.backward()
        optimizer.step()
