import torch
from mytrainer.core import prepare

optimizer = prepare(torch.optim.SGD(model.parameters(), lr=0.1))
for x, y in loader:
    torch.nn.functional.cross_entropy(model(x), y).backward()
    optimizer.step()
