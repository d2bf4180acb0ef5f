import torch

for x, y in loader:
    output = model(x)
    picked = torch.where(y.cuda() > 0)[0]  # expect
    loss = criterion(output[picked], y[picked])
    loss.backward()
    optimizer.step()
