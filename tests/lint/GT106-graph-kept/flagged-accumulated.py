def train(model, loader, optimizer, loss_fn):
    total = 0.0
    for i, (x, y) in enumerate(loader):
        loss = loss_fn(model(x), y)
        loss.backward()
        if (i + 1) % 4 == 0:
            optimizer.step()
            optimizer.zero_grad()
        total += loss  # expect
    return total
