import torch

best = 1e9
for step, (x, y) in enumerate(loader):
    optimizer.zero_grad()
    loss = torch.nn.functional.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
    if loss < best:
        best = loss
        torch.save(model.state_dict(), "best.pt")
