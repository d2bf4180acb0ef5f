import torch.nn.functional as F

from config import Config


def train(model, loader, optimizer, config: Config):
    train_loss = []
    for x, y in loader:
        loss = F.mse_loss(model(x.cuda()), y.cuda())
        if config.half:
            train_loss.append(loss.item())  # the name trains nothing
        optimizer.zero_grad()
        loss.backward()
        if config.extra:
            print(loss.item())
        optimizer.step()
