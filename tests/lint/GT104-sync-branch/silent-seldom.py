import torch

best = float("inf")
for epoch in range(10):
    for step, (x, y) in enumerate(loader):
        loss = torch.nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 200 == 0:
            if torch.isnan(loss):
                raise RuntimeError("the loss is not a number")
        if torch.cuda.is_available() and torch.is_grad_enabled():
            steps += 1
