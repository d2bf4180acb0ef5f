import torch
from engine import prepare

optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for x, y in loader:
    prepare(optimizer)
    torch.nn.functional.cross_entropy(model(x), y).backward()
    optimizer.step()
