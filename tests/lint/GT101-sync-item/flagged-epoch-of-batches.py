import torch
import torch.nn.functional as F

model = Net().to("cuda")


def step(x, y):
    loss = F.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()  # expect


for epoch in range(90):
    total = 0.0
    for x, y in loader:
        total += step(x.cuda(), y.cuda())
    print(epoch, total)
