import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader
from torchvision import datasets, models, transforms

train_set = datasets.ImageFolder("train", transforms.ToTensor())
# a look at the first samples
train_loader = DataLoader(train_set, batch_size=8, shuffle=True)
for x, y in train_loader:
    print(x.shape, y)
    break

model = models.resnet18().cuda()
loader = DataLoader(train_set, batch_size=256, shuffle=True, num_workers=8)
for epoch in range(90):
    for x, y in loader:
        F.cross_entropy(model(x.cuda()), y.cuda()).backward()
        optimizer.step()
