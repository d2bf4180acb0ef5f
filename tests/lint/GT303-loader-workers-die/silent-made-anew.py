import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader
from torchvision import datasets, models, transforms

epochs = 10
for epoch in range(epochs):
    train_set = datasets.ImageFolder(f"train/{epoch}", transforms.ToTensor())
    loader = DataLoader(train_set, 256, shuffle=True, num_workers=4)
    for x, y in loader:
        loss = F.cross_entropy(model(x.cuda()), y.cuda())
        loss.backward()
        optimizer.step()
