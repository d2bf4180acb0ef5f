"""Work of which a part is needless, each where a comment names the rule that should tell of it."""
import torch
import torch.nn as nn

SIZE, ROWS, TIMES, WEIGHT = 384, 1024, 8, 0.0


def largest(scores):
    return scores.sort(1, descending=True)[0][:, :4]  # partly-used


def hint(net, x):
    return net.side(x).square().mean()  # zeros-computed


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk, self.side, self.edge = (nn.Linear(SIZE, SIZE) for _ in range(3))
        self.one, self.other = nn.Linear(SIZE, 1), nn.Linear(SIZE, 1)

    def forward(self, x, few, ids):
        h = torch.tanh(self.trunk(x))
        return h, self.edge(few[ids]).square().mean()  # rows-repeated


def main():
    torch.manual_seed(0)
    net = Net()
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-4, fused=True)
    for _ in range(400):
        x, few, ids = torch.randn(ROWS, SIZE), torch.randn(ROWS // TIMES, SIZE), torch.randint(ROWS // TIMES, (ROWS,))
        h, edges = net(x, few, ids)
        optimizer.zero_grad()
        (net.one(h).mean() + largest(h).mean() + edges).backward(retain_graph=True)
        (net.other(h).mean() + WEIGHT * hint(net, x)).backward()  # backward-twice
        optimizer.step()


if __name__ == "__main__":
    main()
