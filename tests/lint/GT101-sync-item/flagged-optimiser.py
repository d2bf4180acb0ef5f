def train(model, batches, optimiser):
    total = 0.0
    for x, y in batches:
        optimiser.zero_grad()
        loss = model(x.cuda(), y.cuda()).loss
        loss.backward()
        optimiser.step()
        total += loss.item()  # expect
    return total
