import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader
from torchvision import datasets, models, transforms

train_set = datasets.ImageFolder("train", transforms.ToTensor())
loader = DataLoader(train_set, 256, shuffle=True, num_workers=8, pin_memory=True)  # expect

model = models.resnet18().cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(90):
    for x, y in loader:
        loss = F.cross_entropy(model(x.cuda()), y.cuda())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
