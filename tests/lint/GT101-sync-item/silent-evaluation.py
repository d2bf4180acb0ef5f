import torch


@torch.no_grad()
def evaluate(model, loader):
    total = 0.0
    for x, y in loader:
        total += torch.nn.functional.cross_entropy(model(x), y).item()
    return total / len(loader)


for epoch in range(10):
    for x, y in loader:
        torch.nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()
    print(epoch, evaluate(model, held_out))
    accuracy = correct.item() / total
