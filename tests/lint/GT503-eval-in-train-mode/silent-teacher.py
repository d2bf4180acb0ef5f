import torch
import torch.nn.functional as F
from torch import nn

model = nn.Sequential(nn.Linear(784, 256), nn.BatchNorm1d(256), nn.ReLU(), nn.Linear(256, 10))
optimizer = torch.optim.Adam(model.parameters())


teacher = torch.load("teacher.pt")
for epoch in range(10):
    teacher.eval()
    for x, y in train_loader:
        optimizer.zero_grad()
        F.mse_loss(model(x), teacher(x).detach()).backward()
        optimizer.step()
