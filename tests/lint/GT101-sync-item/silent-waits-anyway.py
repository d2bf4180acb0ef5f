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

    def anneal(self, x, y):
        weight = 1.0 if self.count >= self.steps else 0.0  # of a buffer: waits
        loss = weight * F.mse_loss(self.net(x), y)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        self.count += 1
        return loss.item()


def masks(loader, optimizer):
    total = 0.0
    for x, y in loader:
        x, y = x.cuda(), y.cuda()
        near = (x > 0) & (x < 1)
        loss = F.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        x[~near] = y[~near]  # the number of hits
        total += loss.item()
    return total


def timed(loader, optimizer, begin, end):
    total = 0.0
    for x, y in loader:
        begin.record()
        loss = F.mse_loss(model(x.cuda()), y.cuda())
        optimizer.zero_grad()
        loss.backward()
        end.record()
        total += loss.item()
        print(begin.elapsed_time(end))  # of what is over
        optimizer.step()
    return total


def norms(loader, optimizer):
    total = 0.0
    for x, y in loader:
        loss = F.mse_loss(model(x.cuda()), y.cuda())
        optimizer.zero_grad()
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        if np.isnan(norm):
            continue
        optimizer.step()
        total += loss.item()
    return total


def samples(loader, optimizer):
    total = 0.0
    for x, y in loader:
        x, y = x.cuda(), y.cuda()
        order = torch.argsort(y)
        last = 0
        for i, row in enumerate(order):
            if row == last:  # for every sample
                continue
            last = i
        loss = F.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    return total


def scaled(loader, optimizer, mixed=True):
    scaler = torch.cuda.amp.GradScaler()
    total = 0.0
    for x, y in loader:
        x, y = x.cuda(), y.cuda()
        optimizer.zero_grad()
        if mixed:
            with torch.autocast("cuda"):
                loss = F.mse_loss(model(x), y)
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()
        else:
            loss = F.mse_loss(model(x), y)
            loss.backward()
            optimizer.step()
        total += loss.item()
    return total
