import torch.nn.functional as F


def train_epoch(model, loader, optimizer):
    for x, y in loader:
        loss = F.cross_entropy(model(x.cuda()), y.cuda())  # expect
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
