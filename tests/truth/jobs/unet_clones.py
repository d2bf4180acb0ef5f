"""A U-Net that learns to take noise away."""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F

from training import arguments, labelled_images, log

SIDE = 64


class Residual(nn.Module):
    """Two convolutions, told the time between them."""

    def __init__(self, inputs, outputs, time_width):
        super().__init__()
        self.norm1, self.conv1 = nn.GroupNorm(8, inputs), nn.Conv2d(inputs, outputs, 3, padding=1)
        self.norm2, self.conv2 = nn.GroupNorm(8, outputs), nn.Conv2d(outputs, outputs, 3, padding=1)
        self.time = nn.Linear(time_width, outputs)
        self.skip = nn.Conv2d(inputs, outputs, 1)

    def forward(self, x, time):
        saved = x.clone()
        y = self.conv1(F.silu(self.norm1(x.clone())).clone())
        y = self.conv2(F.silu(self.norm2(y.clone() + self.time(time)[:, :, None, None])).clone())
        return y + self.skip(saved)


class UNet(nn.Module):
    """The noise in images (batch, 3, side, side) at times (batch,)."""

    def __init__(self, width):
        super().__init__()
        wide, time_width = 2 * width, 4 * width
        self.register_buffer("frequencies", torch.logspace(0, 3, width), persistent=False)
        self.time = nn.Sequential(nn.Linear(2 * width, time_width), nn.SiLU())
        self.first = nn.Conv2d(3, width, 3, padding=1)
        self.down = nn.ModuleList([Residual(width, width, time_width), Residual(width, wide, time_width)])
        self.middle = Residual(wide, wide, time_width)
        self.up = nn.ModuleList([Residual(wide + wide, wide, time_width), Residual(wide + width, width, time_width)])
        self.last = nn.Conv2d(width, 3, 3, padding=1)

    def forward(self, x, t):
        angles = t[:, None] * self.frequencies
        time = self.time(torch.cat([angles.sin(), angles.cos()], 1))
        x, skips = self.first(x), []
        for block in self.down:
            x = block(x, time)
            skips.append(x.clone())
            x = F.avg_pool2d(x, 2)
        x = self.middle(x, time)
        for block in self.up:
            x = F.interpolate(x, scale_factor=2.0, mode="nearest")
            x = block(torch.cat([x, skips.pop().clone()], 1), time)
        return self.last(x)


def noised(images, generator):
    """Images with noise, how late it is (0 to 1), and the noise."""
    t = torch.rand(len(images), generator=generator)
    noise = torch.randn(images.shape, generator=generator)
    keep = torch.cos(t * math.pi / 2)[:, None, None, None]
    return keep * images + (1 - keep**2).sqrt() * noise, t, noise


def main():
    args = arguments(batch=(8, 2), width=(16, 8))
    torch.manual_seed(0)
    model = UNet(args.width)
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-4, fused=True)
    generator = torch.Generator().manual_seed(0)
    for step, (images, _) in enumerate(labelled_images(args, SIDE, 10), 1):
        x, t, noise = noised(images, generator)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            guess = model(x, t)
        loss = F.mse_loss(guess.float(), noise)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
