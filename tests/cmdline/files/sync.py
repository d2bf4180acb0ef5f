import torch

def train(model, loader, opt):
    total = 0.0
    for step, (x, y) in enumerate(loader):
        loss = model(x.cuda(), y.cuda())
        loss.backward()
        opt.step()
        opt.zero_grad()
        total += loss.item()
        if step % 100 == 0:
            print(step, loss.item())
    return total
