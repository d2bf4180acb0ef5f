import torch

for x, y in loader:
    loss = torch.nn.functional.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward(retain_graph=True)  # expect
    optimizer.step()
