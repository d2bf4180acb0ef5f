import torch.nn.functional as F


def epoch_of(model, loader, optimizer):
    total = 0
    for x, y in loader:
        loss = F.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss  # expect
    return total


def train(model, loader, optimizer):
    for epoch in range(10):
        print(epoch_of(model, loader, optimizer))
