"""Contrastive learning of image patches: a momentum encoder and a queue of negatives, after MoCo."""
import copy

import torch
import torch.nn as nn
import torch.nn.functional as F

from training import arguments, log

MOMENTUM, TEMPERATURE = 0.99, 0.1


def encoder(width, features):
    return nn.Sequential(
        nn.Conv2d(3, width, 3, 2, 1),
        nn.GroupNorm(4, width),
        nn.ReLU(),
        nn.Conv2d(width, 2 * width, 3, 2, 1),
        nn.GroupNorm(4, 2 * width),
        nn.ReLU(),
        nn.Conv2d(2 * width, 4 * width, 3, 2, 1),
        nn.ReLU(),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(4 * width, features),
    )


class MoCo(nn.Module):
    def __init__(self, width, features, size):
        super().__init__()
        self.query = encoder(width, features)
        self.key = copy.deepcopy(self.query).requires_grad_(False)
        self.register_buffer("queue", F.normalize(torch.randn(size, features), dim=1))
        self.size = size

    @torch.no_grad()
    def keys(self, view):
        torch._foreach_lerp_(list(self.key.parameters()), list(self.query.parameters()), 1 - MOMENTUM)
        return F.normalize(self.key(view), dim=1)

    @torch.no_grad()
    def enqueue(self, keys):
        """The newest keys take the place of the oldest."""
        self.queue = torch.cat([self.queue, keys])[-self.size :]

    def forward(self, one, other):
        q, k = F.normalize(self.query(one), dim=1), self.keys(other)
        logits = torch.cat([(q * k).sum(1, keepdim=True), q @ self.queue.T], 1) / TEMPERATURE
        loss = F.cross_entropy(logits, torch.zeros(len(q), dtype=torch.long))
        return loss, k


def views(images):
    """Two looks at each picture: flipped or not, brighter or darker, with noise."""
    for _ in range(2):
        gain = 0.8 + 0.4 * torch.rand(len(images), 1, 1, 1)
        flip = torch.rand(len(images), 1, 1, 1) < 0.5
        yield torch.where(flip, images.flip(3), images) * gain + 0.1 * torch.randn_like(images)


def main():
    args = arguments(batch=(24, 4), width=(64, 4), features=(128, 8), queue=(65536, 32), side=(32, 16))
    torch.manual_seed(0)
    model = MoCo(args.width, args.features, args.queue)
    optimizer = torch.optim.SGD(model.query.parameters(), lr=0.03, momentum=0.9, weight_decay=1e-4, fused=True)
    images = F.interpolate(torch.randn(512, 3, 8, 8), size=args.side, mode="bilinear")
    for step in range(1, args.steps + 1):
        loss, keys = model(*views(images[torch.randint(len(images), (args.batch,))]))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        model.enqueue(keys)
        log(step, loss, args)


if __name__ == "__main__":
    main()
