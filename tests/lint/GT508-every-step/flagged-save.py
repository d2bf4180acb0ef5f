import torch

for epoch in range(10):
    for step, (x, y) in enumerate(loader):
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()
        torch.save(model.state_dict(), "model.pt")  # expect
