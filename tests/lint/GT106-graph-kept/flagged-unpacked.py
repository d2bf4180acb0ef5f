import torch


def train(model, loader, optimizer, scaler):
    running = 0
    for batch in loader:
        loss, extra = model.loss(batch)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        running += loss  # expect
    return running / len(loader)
