import torch
import torch.nn.functional as F


state = torch.load("last.pt")
model.load_state_dict(state["model"])
for epoch in range(state["epoch"], 100):
    for x, y in loader:
        optimizer.zero_grad()
        F.mse_loss(model(x), y).backward()
        optimizer.step()
    state = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epoch": epoch}
    torch.save(state, "last.pt")  # expect
