import torch

for epoch in range(10):
    total, parts, losses = 0.0, 0.0, []
    for x, y in loader:
        output = model(x)
        first = torch.nn.functional.mse_loss(output, y)
        loss = first + output.abs().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss  # expect
        parts += first * len(x)  # expect
        losses.append(loss)  # expect
    print(epoch, total / len(loader))
