import torch

model = Net().to("cuda:0")

for x, y in loader:
    loss = torch.nn.functional.cross_entropy(model(x), y)
    if not torch.isfinite(loss):  # expect
        continue
    optimizer.zero_grad()
    loss.backward()
    norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    if norm > 100:  # expect
        optimizer.zero_grad()
    optimizer.step()
