"""Learns pictures of coins without labels: large and small crops shall be described alike, by a network and its average."""
import copy

import torch
import torch.nn as nn
import torch.nn.functional as F

from training import arguments, log

WARM, COLD, FOLLOW = 0.1, 0.04, 0.01


def describer(width, words):
    return nn.Sequential(
        nn.Conv2d(3, width, 3, 2, 1),
        nn.GroupNorm(4, width),
        nn.GELU(),
        nn.Conv2d(width, 2 * width, 3, 2, 1),
        nn.GroupNorm(4, 2 * width),
        nn.GELU(),
        nn.Conv2d(2 * width, 4 * width, 3, 2, 1),
        nn.GELU(),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(4 * width, words),
    )


def crop(picture, side):
    """All pictures at one place, which is another each time, with noise of their own."""
    y, x = torch.randint(picture.shape[2] - side + 1, (2,)).tolist()
    window = picture[:, :, y : y + side, x : x + side]
    return window + 0.2 * torch.randn(window.shape)


def main():
    args = arguments(batch=(16, 4), side=(72, 20), large=(56, 16), small=(32, 8), width=(32, 4), words=(256, 8))
    torch.manual_seed(0)
    student = describer(args.width, args.words)
    teacher = copy.deepcopy(student).requires_grad_(False)
    live, slow = list(student.parameters()), list(teacher.parameters())
    optimizer = torch.optim.AdamW(live, lr=5e-4, fused=True)
    coins = torch.randn(16 * args.batch, 3, args.side, args.side)
    middle = torch.zeros(args.words)
    for step in range(1, args.steps + 1):
        picture = coins[torch.randint(len(coins), (args.batch,))]
        large = torch.cat([crop(picture, args.large), crop(picture, args.large)])
        small = torch.cat([crop(picture, args.small), crop(picture, args.small)])
        with torch.no_grad():
            told = teacher(large)
            wanted = ((told - middle) / COLD).softmax(1).unflatten(0, (2, -1))
            middle.lerp_(told.mean(0), 0.1)
        said = [F.log_softmax(student(crops) / WARM, 1).unflatten(0, (2, -1)) for crops in (large, small)]
        across = -(wanted.flip(0) * said[0]).sum(-1).mean()
        within = -(wanted.mean(0) * said[1].mean(0)).sum(-1).mean()
        loss = across + within
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(live, 3.0)
        optimizer.step()
        torch._foreach_lerp_(slow, live, FOLLOW)
        log(step, loss, args)


if __name__ == "__main__":
    main()
