import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

model = Net().cuda()


class Annealed(nn.Module):
    def __init__(self, steps):
        super().__init__()
        self.register_buffer("count", torch.tensor([0]))
        self.net = nn.Linear(8, 8)
        self.optimizer = torch.optim.Adam(self.net.parameters())
        self.steps = steps

    def update(self, x, y):
        loss = F.mse_loss(self.net(x), y)
        if self.count >= self.steps:  # before backward
            loss = loss * 2
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.item()  # expect


class Inherits(Annealed):
    def update(self, x, y):
        z = self.features(x)  # what the class inherits
        if torch.any(z > 9):
            z = z * 2
        loss = F.mse_loss(z, y)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.item()  # expect


def sets(loader, optimizer):
    total = 0.0
    for x, y in loader:
        x, y = x.cuda(), y.cuda()
        near = x > 0
        loss = F.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        x[near] = 0  # fills what the mask has: no wait
        optimizer.step()
        total += loss.item()  # expect
    return total


def rows(loader, optimizer):
    total = 0.0
    for x, y in loader:
        x, y = x.cuda(), y.cuda()
        loss = F.mse_loss(model(x), y)
        for layer in model.layers:  # few
            loss = loss + x[x[:, layer.row] > 0].mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()  # expect
    return total


def chosen(loader, optimizer, mixed=False):
    scaler = torch.cuda.amp.GradScaler()
    total = 0.0
    for x, y in loader:
        x, y = x.cuda(), y.cuda()
        optimizer.zero_grad()
        loss = F.mse_loss(model(x), y)
        if mixed:
            scaler.scale(loss).backward()
            scaler.step(optimizer)
        else:
            loss.backward()
            optimizer.step()
        total += loss.item()  # expect
    return total


def told(loader, optimizer):
    total = 0.0
    for x, y in loader:
        loss = F.mse_loss(model(x.cuda()), y.cuda())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()  # expect
        print(np.isnan(total))
    return total
