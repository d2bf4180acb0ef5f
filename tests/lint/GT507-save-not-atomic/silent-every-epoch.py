import torch
import torch.nn.functional as F


model.load_state_dict(torch.load("start.pt"))
for epoch in range(100):
    for x, y in loader:
        optimizer.zero_grad()
        F.mse_loss(model(x), y).backward()
        optimizer.step()
    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, f"{epoch}.pt")
