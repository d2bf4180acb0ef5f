import torch

total, correct, seen = 0.0, 0, 0
for x, y in loader:
    output = model(x)
    loss = criterion(output, y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    total += loss.detach()
    correct += (output.argmax(1) == y).sum()
    predicted = output.max(1)[1]
    hits += predicted.eq(y).sum()
    seen += y.size(0)
    names.append(x.shape)

with torch.no_grad():
    for x, y in test_loader:
        total += criterion(model(x), y)
