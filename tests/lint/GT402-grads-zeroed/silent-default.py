import torch

delta = torch.zeros(8, requires_grad=True)
for x, y in loader:
    optimizer.zero_grad()
    loss = torch.nn.functional.mse_loss(model(x + delta), y)
    loss.backward()
    delta.data.add_(delta.grad.sign(), alpha=0.01)
    delta.grad.zero_()
    optimizer.step()
    for p in model.parameters():
        p.grad = None
