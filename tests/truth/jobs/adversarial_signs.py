"""Names traffic signs so that small disturbances do not mislead it: each batch is changed by one step against the network first."""
import torch
import torch.nn as nn
import torch.nn.functional as F

from training import arguments, log

SIGNS, REACH = 16, 0.1


class Block(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(inputs, outputs, 3, 2, 1), nn.Conv2d(outputs, outputs, 3, 1, 1)
        self.norm = nn.GroupNorm(4, outputs)

    def forward(self, x):
        h = F.relu(self.conv1(x))
        return F.relu(h + self.norm(self.conv2(h)))


def network(width):
    return nn.Sequential(
        Block(3, width), Block(width, 2 * width), Block(2 * width, 4 * width), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(4 * width, SIGNS)
    )


def disturbed(model, image, sign):
    """The image moved by REACH to where the loss grows."""
    delta = torch.empty_like(image).uniform_(-REACH, REACH).requires_grad_()
    loss = F.cross_entropy(model(image + delta), sign)
    loss.backward()
    worse = delta.detach() + REACH * delta.grad.sign()
    return image + worse.clamp(-REACH, REACH)


def signs(count, side, seed=0):
    rng = torch.Generator().manual_seed(seed)
    sign = torch.randint(SIGNS, (count,), generator=rng)
    shape = F.interpolate(torch.randn(SIGNS, 3, 8, 8, generator=rng), size=side)
    return shape[sign] + torch.randn(count, 3, side, side, generator=rng), sign


def main():
    args = arguments(batch=(24, 4), side=(48, 16), width=(32, 4))
    torch.manual_seed(0)
    model = network(args.width)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9, fused=True)
    image, sign = signs(30 * args.batch, args.side)
    for step in range(1, args.steps + 1):
        chosen = torch.randint(len(sign), (args.batch,))
        worse = disturbed(model, image[chosen], sign[chosen])
        loss = F.cross_entropy(model(worse), sign[chosen])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
