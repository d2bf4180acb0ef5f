import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader
from torchvision import datasets, models, transforms

device = "cuda"
model = models.resnet18().to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
train_loader = DataLoader(train_set, 256, num_workers=8, pin_memory=True)
for x, y in train_loader:
    x = x.to(device)  # expect
    loss = F.cross_entropy(model(x), y.cuda())  # expect
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
