import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader
from torchvision import datasets, models, transforms

train_set = datasets.ImageFolder("train", transforms.ToTensor())
loader = DataLoader(train_set, batch_size=32, shuffle=True, num_workers=8)
model = models.resnet18()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for x, y in loader:
    loss = F.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
