import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader
from torchvision import datasets, models, transforms

train_set = datasets.ImageFolder("train", transforms.ToTensor())
options = {"num_workers": 8, "pin_memory": True}
loader = DataLoader(train_set, batch_size=256, shuffle=True, **options)


def mean_of(train_set):
    loader = DataLoader(train_set, batch_size=256, shuffle=True, num_workers=8)
    total = 0
    for x, _ in loader:
        total += x.mean()
    return total / len(loader)


model = models.resnet18().cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(90):
    for x, y in loader:
        loss = F.cross_entropy(model(x.cuda()), y.cuda())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
