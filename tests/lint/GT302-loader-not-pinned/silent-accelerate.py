import torch.nn.functional as F
from accelerate import Accelerator
from torch.utils.data import DataLoader
from torchvision import datasets, models, transforms

accelerator = Accelerator()
train_set = datasets.ImageFolder("train", transforms.ToTensor())
train_loader = DataLoader(train_set, batch_size=256, shuffle=True, num_workers=8)
model, optimizer, train_loader = accelerator.prepare(model, optimizer, train_loader)
for epoch in range(90):
    for x, y in train_loader:
        x = x.to(accelerator.device)
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        accelerator.backward(loss)
        optimizer.step()
