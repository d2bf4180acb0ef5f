"""A deep and narrow MLP-Mixer on small images; its gradients are looked after."""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F

from training import arguments, labelled_images, log

SIDE, PATCH, CLASSES, MAX_NORM = 32, 4, 50, 1.0


def mlp(width, hidden):
    return nn.Sequential(nn.Linear(width, hidden), nn.GELU(), nn.Linear(hidden, width))


class Mixer(nn.Module):
    """Layers across patches and across channels, in turn."""

    def __init__(self, width, layers):
        super().__init__()
        patches = (SIDE // PATCH) ** 2
        self.patches = nn.Conv2d(3, width, PATCH, stride=PATCH)
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(2 * layers))
        self.across = nn.ModuleList(mlp(patches, 2 * patches) for _ in range(layers))
        self.along = nn.ModuleList(mlp(width, 4 * width) for _ in range(layers))
        self.head = nn.Linear(width, CLASSES)

    def forward(self, images):
        x = self.patches(images).flatten(2).transpose(1, 2)
        for i, (across, along) in enumerate(zip(self.across, self.along)):
            x = x + across(self.norms[2 * i](x).transpose(1, 2)).transpose(1, 2)
            x = x + along(self.norms[2 * i + 1](x))
        return self.head(x.mean(1))


def clip(parameters):
    """Gradients shorter than MAX_NORM together; none of them may be infinite or not a number."""
    squares = 0.0
    for p in parameters:
        if not torch.isfinite(p.grad).all():
            raise RuntimeError("a gradient is not finite")
        squares += p.grad.square().sum().item()
    norm = math.sqrt(squares)
    for p in parameters:
        p.grad.mul_(min(1.0, MAX_NORM / (norm + 1e-6)))


def main():
    args = arguments(batch=(16, 2), width=(64, 16), layers=(10, 2))
    torch.manual_seed(0)
    model = Mixer(args.width, args.layers)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4, fused=True)
    for step, (images, classes) in enumerate(labelled_images(args, SIDE, CLASSES), 1):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            logits = model(images)
        loss = F.cross_entropy(logits.float(), classes)
        optimizer.zero_grad()
        loss.backward()
        clip(list(model.parameters()))
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
