import torch
from torch.utils.data import DataLoader


def evaluate(model, loader):
    model.eval()
    correct = 0
    for x, y in loader:
        logits = model(x.cuda())  # expect
        correct += (logits.argmax(1) == y.cuda()).sum()
    return correct / len(loader.dataset)


def train(model, train_set, val_set, optimizer):
    loader = DataLoader(train_set, batch_size=64, shuffle=True)
    for epoch in range(10):
        for x, y in loader:
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(model(x.cuda()), y.cuda()).backward()
            optimizer.step()
        print(evaluate(model, DataLoader(val_set, batch_size=128)))
