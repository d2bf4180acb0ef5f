import torch

torch.autograd.set_detect_anomaly(True)  # expect
for x, y in loader:
    loss = torch.nn.functional.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()
