import torch
import torch.nn.functional as F
from torch.cuda.amp import GradScaler

model = Net().cuda()


def before_the_pass(loader, optimizer):
    scaler = GradScaler()
    total = 0.0
    for x, y in loader:
        loss = F.cross_entropy(model(x.cuda()), y.cuda())
        total += loss.item()  # expect
        optimizer.zero_grad()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
    return total


def switched_off(loader, optimizer, amp=False):
    scaler = GradScaler(enabled=amp)
    total = 0.0
    for x, y in loader:
        loss = F.cross_entropy(model(x.cuda()), y.cuda())
        optimizer.zero_grad()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        total += loss.item()  # expect
    return total


def sometimes(loader, optimizer, scaler, half):
    total = 0.0
    for x, y in loader:
        loss = F.cross_entropy(model(x.cuda()), y.cuda())
        optimizer.zero_grad()
        if half:
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()
        else:
            loss.backward()
            optimizer.step()
        total += loss.item()  # expect
    return total


def on_the_host(loader, optimizer):
    total = 0.0
    for x, y in loader:
        kept = x[y > 0]  # still where the loader put it
        loss = F.cross_entropy(model(kept.cuda()), y[y > 0].cuda())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()  # expect
    return total


def written_into(loader, optimizer):
    total = 0.0
    for x, y in loader:
        x, y = x.cuda(), y.cuda()
        out = model(x)
        out[y == 0] = 0  # a fill, of no shape that the data decides
        loss = F.mse_loss(out, x)
        total += loss.item()  # expect
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return total
