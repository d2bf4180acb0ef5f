import torch


def step(model, x, y, optimizer):
    loss = torch.nn.functional.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward(retain_graph=True)  # expect
    optimizer.step()
    return loss


def measured(model, x, y, optimizer):
    loss = torch.nn.functional.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward(retain_graph=True)  # expect
    optimizer.step()
    return loss.item(), loss.detach()
