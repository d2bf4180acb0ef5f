import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader
from torchvision import datasets, models, transforms

train_loader = DataLoader(train_set, 256, num_workers=8, pin_memory=False)
for x, y in train_loader:
    x, y = x.cuda(), y.cuda()
    loss = F.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
