import torch
import torch.nn.functional as F

data = data.to("cuda")
model = Graph().to("cuda")


def train():
    optimizer.zero_grad()
    loss = F.cross_entropy(model(data.x), data.y)
    loss.backward()
    optimizer.step()
    return loss.item()


# one step takes all data: one wait in an epoch
for epoch in range(200):
    print(epoch, train())

for epoch in range(200):
    loss = F.cross_entropy(model(data.x), data.y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(epoch, loss.item())
