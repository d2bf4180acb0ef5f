"""A small convolutional network, channels last."""
import torch
import torch.nn as nn
import torch.nn.functional as F

from training import arguments, labelled_images, log


def network(width, classes):
    channels = [3, width, width, 2 * width, 2 * width]
    layers = []
    for i, (a, b) in enumerate(zip(channels, channels[1:])):
        conv = nn.Conv2d(a, b, 3, stride=1 + i % 2, padding=1, bias=False)
        layers += [conv, nn.BatchNorm2d(b), nn.ReLU(inplace=True)]
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(2 * width, classes))


def main():
    args = arguments(batch=(32, 2), width=(32, 4))
    torch.manual_seed(0)
    model = network(args.width, classes=10).to(memory_format=torch.channels_last)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9, fused=True)
    for step, (x, y) in enumerate(labelled_images(args, 32, 10), 1):
        loss = F.cross_entropy(model(x.contiguous(memory_format=torch.channels_last)), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
