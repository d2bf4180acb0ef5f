"""Much of each step is needless, and recorded steps run without it: the numbers that are printed must not change."""
import torch
import torch.nn as nn
from torch.utils.checkpoint import checkpoint

SIZE = 160


def mask(n):
    far = (torch.arange(n)[:, None] - torch.arange(n)).abs().float()
    bias = torch.zeros(n, n)
    bias.masked_fill_(far > n / 2, -1.0)
    return torch.exp(-far / n + bias).tril()


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second, self.third = (nn.Linear(SIZE, SIZE) for _ in range(3))

    def encoded(self, x):
        return torch.tanh(self.first(x))

    def forward(self, x):
        x = x @ mask(SIZE)
        twice = self.encoded(x).clone() + self.encoded(x).square()
        return checkpoint(lambda y: torch.sin(self.third(torch.exp(self.second(y)))), twice, use_reentrant=False)


def main():
    torch.manual_seed(0)
    net = Net()
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3, fused=True)
    last = []
    for step in range(240):
        loss = net(torch.randn(SIZE, SIZE)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        last = last[-3:] + [loss.detach().clone()]
        if step % 10 == 0:
            print(step, [repr(x.item()) for x in last])
    print([repr(p.double().sum().item()) for p in net.parameters()])


if __name__ == "__main__":
    main()
