import torch
import torch.nn.functional as F

for epoch in range(epochs):
    model.train()
    for x, y in train_loader:
        optimizer.zero_grad()
        F.mse_loss(model(x), y).backward()
        optimizer.step()
    model.eval()
    total = 0.0
    for x, y in val_loader:
        total += F.mse_loss(model(x), y).item()  # expect
