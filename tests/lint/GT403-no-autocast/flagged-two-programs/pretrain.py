import torch
from engine import train_epoch
from torchvision import models

model = models.resnet50(weights="IMAGENET1K_V2").cuda()
optimizer = torch.optim.SGD(model.parameters(), 0.1)
for epoch in range(90):
    train_epoch(model, loader, optimizer)
