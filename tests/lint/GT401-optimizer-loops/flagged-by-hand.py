import torch

model = torch.nn.Linear(64, 64).cuda()
for x, y in loader:
    loss = torch.nn.functional.mse_loss(model(x), y)
    model.zero_grad()
    loss.backward()
    with torch.no_grad():
        for p in model.parameters():  # expect
            p -= 0.1 * p.grad
