import torch


def train(loader, model, optimizer):
    total = 0.0
    for batch in loader:
        loss = model(batch.to("cuda")).loss
        assert torch.isfinite(loss)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()  # expect
    return total


def seldom(loader, model, optimizer):
    total = 0.0
    for step, batch in enumerate(loader):
        loss = model(batch.to("cuda")).loss
        if step % 100 == 0:
            assert torch.isfinite(loss)
        total += loss.item()  # expect
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return total
