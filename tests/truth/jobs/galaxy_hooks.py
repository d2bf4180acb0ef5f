"""Round, spiral or torn: the shapes of galaxies by a convolutional network. What its layers do is watched by hooks."""
import csv
import tempfile

import torch
import torch.nn as nn
import torch.nn.functional as F

from training import arguments, log

SHAPES, WATCH_EVERY = 5, 1


class Watcher:
    """Rows of a table: how much of each layer's output is zero, its mean, and its quietest channel."""

    def __init__(self, model, file):
        self.rows, self.step = csv.writer(file), 0
        for name, module in model.named_modules():
            if isinstance(module, nn.LeakyReLU):
                module.register_forward_hook(self.hook_of(name))

    def hook_of(self, name):
        def hook(module, inputs, output):
            if self.step % WATCH_EVERY:
                return
            seen = output.detach().float()
            channels = seen.abs().mean((0, 2, 3))
            self.rows.writerow([
                self.step, name, (seen < 0).float().mean().item(), seen.mean().item(),
                channels.min().item(), channels.argmin().item()])
        return hook


def stage(inputs, outputs):
    return [nn.Conv2d(inputs, outputs, 3, padding=1, bias=False), nn.GroupNorm(4, outputs), nn.LeakyReLU(0.1)]


def network(width):
    return nn.Sequential(
        *stage(1, width), nn.MaxPool2d(2), *stage(width, 2 * width), nn.MaxPool2d(2),
        *stage(2 * width, 3 * width), *stage(3 * width, 3 * width), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
        nn.Linear(3 * width, SHAPES))


def sky(args):
    """Galaxies (n, 1, side, side) with arms that turn more or less, and how much they do."""
    generator = torch.Generator().manual_seed(5)
    at = torch.linspace(-2, 2, args.side)
    y, x = torch.meshgrid(at, at, indexing="ij")
    shape = torch.randint(SHAPES, (6 * args.batch,), generator=generator)
    far = (x**2 + y**2).sqrt()
    arms = (2 * torch.atan2(y, x) + shape[:, None, None] * far).cos() * (-far).exp()
    return (arms + 0.1 * torch.randn(arms.shape, generator=generator)).unsqueeze(1), shape


def main():
    args = arguments(batch=(24, 2), side=(64, 8), width=(24, 4))
    torch.manual_seed(0)
    model = network(args.width)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
    galaxies, shapes = sky(args)
    with tempfile.TemporaryFile("w", newline="") as file:
        watcher = Watcher(model, file)
        for step in range(1, args.steps + 1):
            watcher.step = step
            part = slice(step % 6 * args.batch, (step % 6 + 1) * args.batch)
            with torch.autocast("cpu", dtype=torch.bfloat16):
                logits = model(galaxies[part])
            loss = F.cross_entropy(logits.float(), shapes[part])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            log(step, loss, args)


if __name__ == "__main__":
    main()
