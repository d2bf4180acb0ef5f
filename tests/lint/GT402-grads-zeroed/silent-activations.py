for x, y in loader:
    for chunk in received:
        if chunk.grad is not None:
            chunk.grad.zero_()
    loss = model(x, received).mean()
    loss.backward()
    optimizer.step()
