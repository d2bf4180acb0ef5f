import torch
from torch import nn

device = "cpu"
model = nn.Linear(8, 8).to(device)
total = 0.0
for x, y in loader:
    loss = nn.functional.mse_loss(model(x.to(device)), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    total += loss.item()
