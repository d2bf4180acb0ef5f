import torch

for x, y in loader:
    loss = model(x.cuda()).mean()
    loss.backward()
    optimizer.step()
    if tuned:
        other = alpha.mean()
    else:
        other = torch.tensor(0.0).to(device)
    show(loss.item(), other.item())
