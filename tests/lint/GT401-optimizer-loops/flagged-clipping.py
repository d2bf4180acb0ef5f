import torch


def clip(model, most):
    norm = torch.stack([p.grad.norm() for p in model.parameters()]).norm()
    scale = (most / norm).clamp(max=1)
    for p in model.parameters():  # expect
        p.grad.mul_(scale)


for x, y in loader:
    x, y = x.cuda(), y.cuda()
    loss = torch.nn.functional.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    clip(model, 1.0)
    optimizer.step()
