"""A small convolutional network; its norms work on the last dimension."""
import torch
import torch.nn as nn
import torch.nn.functional as F

from training import arguments, labelled_images, log


class ChannelNorm(nn.Module):
    """Each channel brought to mean 0 and deviation 1 over batch and image."""

    def __init__(self, channels):
        super().__init__()
        self.norm = nn.BatchNorm1d(channels)

    def forward(self, x):
        last = x.permute(0, 2, 3, 1).contiguous()
        rows = self.norm(last.view(-1, last.shape[-1]))
        return rows.view(last.shape).permute(0, 3, 1, 2).contiguous()


class Net(nn.Module):
    def __init__(self, width, classes):
        super().__init__()
        channels = [3, width, width, 2 * width, 2 * width]
        self.convs = nn.ModuleList(nn.Conv2d(a, b, 3, padding=1) for a, b in zip(channels, channels[1:]))
        self.norms = nn.ModuleList(ChannelNorm(c) for c in channels[1:])
        self.head = nn.Linear(2 * width, classes)

    def forward(self, x):
        for i, (conv, norm) in enumerate(zip(self.convs, self.norms)):
            x = F.relu(norm(conv(x)))
            if i == 1:
                x = F.max_pool2d(x, 2)
        return self.head(x.mean((2, 3)))


def main():
    args = arguments(batch=(40, 2), width=(32, 4))
    torch.manual_seed(0)
    model = Net(args.width, classes=10)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9, fused=True)
    for step, (x, y) in enumerate(labelled_images(args, 32, 10), 1):
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
