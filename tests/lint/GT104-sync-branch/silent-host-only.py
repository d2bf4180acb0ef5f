import torch
from torch import nn

# nothing moves this program to a device
model = nn.Linear(8, 8)
for x, y in loader:
    loss = torch.nn.functional.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    if loss < 0.1:
        continue
    optimizer.step()
