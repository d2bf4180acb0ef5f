weights = list(model.parameters())
for x, y in loader:
    for w in weights:  # expect
        if w.grad is not None:
            w.grad.zero_()
    loss = model(x).mean()
    loss.backward()
    optimizer.step()
