import torch
import torch.nn.functional as F
from torch.cuda.amp import GradScaler

model = Net().cuda()


def scaled(loader, optimizer):
    scaler = GradScaler()
    total = 0.0
    for x, y in loader:
        loss = F.cross_entropy(model(x.cuda()), y.cuda())
        optimizer.zero_grad()
        scaler.scale(loss).backward()
        scaler.step(optimizer)  # reads whether a gradient is infinite
        scaler.update()
        total += loss.item()
    return total


def masked(loader, optimizer):
    losses = []
    for x, y in loader:
        x, y = x.cuda(), y.cuda()
        out = model(x)
        mask = y > 0
        loss = F.mse_loss(out[mask], x[mask])  # the host needs the number of rows
        losses.append(loss.item())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return losses


def counted(loader, optimizer):
    losses = []
    for x, y in loader:
        y = y.cuda()
        present = torch.unique(y)  # waits for what the turn before has queued
        loss = F.cross_entropy(model(x.cuda())[:, present], y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def chosen(loader, optimizer):
    losses = []
    for x, y in loader:
        loss = F.cross_entropy(model(x.cuda()), y.cuda())
        optimizer.zero_grad()
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        if norm < 100:
            optimizer.step()
        losses.append(loss.item())
    return losses
