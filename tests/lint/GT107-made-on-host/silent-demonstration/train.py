import torch
from network import Net

net = Net().cuda()
optimizer = torch.optim.SGD(net.parameters(), 0.1)
for x in loader:
    net(x.cuda()).mean().backward()
    optimizer.step()
