import torch


def clear(parameters):
    for p in parameters:  # expect
        if p.grad is not None:
            p.grad.detach_()
            p.grad.zero_()


for x, y in loader:
    clear(model.parameters())
    loss = torch.nn.functional.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()
