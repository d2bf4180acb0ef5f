"""Work that is needless in known ways, each where a comment names the rule that should tell of it."""
import torch
import torch.nn as nn

SIZE = 900


def mask(n):
    far = (torch.arange(n)[:, None] - torch.arange(n)).abs().float()
    return torch.exp(-far / n).tril()  # invariant-rebuilt


def settle(x):
    return x.double().float()  # repeated-casts


def digits(step):
    total = 0
    for i in range(250_000):  # python-time
        total += (i * step) % 7  # python-time
    return total


def spread(x):
    return torch.linalg.vector_norm(x @ x.T).item()


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(SIZE, SIZE), nn.Linear(SIZE, SIZE)

    def encoded(self, x):
        return torch.tanh(self.first(x))

    def forward(self, x):
        x = x @ mask(SIZE)
        once = self.encoded(x)
        x = settle(once + self.encoded(x).square())  # repeated-work
        return self.second(x)


def main():
    torch.manual_seed(0)
    net = Net()
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-4, fused=True)
    kept = 0.0
    for step in range(400):
        x = torch.randn(SIZE, SIZE)
        loss = net(x).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        kept = max(kept, spread(x))  # logging-often
        digits(step)  # python-time


if __name__ == "__main__":
    main()
