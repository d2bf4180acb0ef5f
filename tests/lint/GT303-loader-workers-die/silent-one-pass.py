import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader
from torchvision import datasets, models, transforms


def train(model, optimizer):
    """One epoch over a large text is enough."""
    epoch = 0
    train_set = datasets.ImageFolder("train", transforms.ToTensor())
    train_loader = DataLoader(train_set, 256, num_workers=4)
    for x, y in train_loader:
        loss = F.cross_entropy(model(x.cuda()), y.cuda())
        loss.backward()
        optimizer.step()
    print(epoch)
