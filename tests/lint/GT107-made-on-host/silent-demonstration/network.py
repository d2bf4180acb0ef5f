import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(64, 64)

    def forward(self, x):
        return self.layer(x)


if __name__ == "__main__":
    # tries how much memory a step takes
    net = Net().cuda()
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    for step in range(10):
        x = torch.randn(4096, 64).cuda()
        net(x).mean().backward()
        optimizer.step()
