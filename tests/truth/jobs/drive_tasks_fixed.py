"""One network for three things a car must know of the road ahead: free space, depth and speed of flow."""
import torch
import torch.nn as nn
import torch.nn.functional as F

from training import arguments, log


class Trunk(nn.Sequential):
    def __init__(self, width):
        super().__init__(
            nn.Conv2d(3, width, 5, 2, 2),
            nn.ReLU(),
            nn.Conv2d(width, 2 * width, 3, 2, 1),
            nn.GroupNorm(4, 2 * width),
            nn.ReLU(),
            nn.Conv2d(2 * width, 2 * width, 3, 1, 1),
            nn.ReLU(),
        )


class Branch(nn.Sequential):
    def __init__(self, width, outputs):
        super().__init__(
            nn.Conv2d(2 * width, 2 * width, 3, 1, 1),
            nn.ReLU(),
            nn.Conv2d(2 * width, 2 * width, 3, 1, 1),
            nn.ReLU(),
            nn.Conv2d(2 * width, outputs, 1),
        )


class Driver(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.trunk = Trunk(width)
        self.tasks = nn.ModuleDict({"space": Branch(width, 2), "depth": Branch(width, 1), "flow": Branch(width, 2)})

    def forward(self, image):
        shared = self.trunk(image)
        return {name: branch(shared) for name, branch in self.tasks.items()}


def scenes(count, side, seed=0):
    """A horizon and a box in front of it."""
    rng = torch.Generator().manual_seed(seed)
    image = torch.rand(count, 3, side, side, generator=rng)
    horizon = torch.rand(count, 1, 1, generator=rng)
    row = torch.linspace(0, 1, side)[:, None].expand(side, side)
    below = (row > horizon).float()
    image[:, 2] += below
    small = F.avg_pool2d(below[:, None], 4)
    space = (small[:, 0] > 0.5).long()
    flow = torch.cat([small, -small], 1) * 0.5
    return image, {"space": space, "depth": 1 - small, "flow": flow}


LOSSES = {"space": F.cross_entropy, "depth": F.l1_loss, "flow": F.smooth_l1_loss}
WEIGHTS = {"space": 1.0, "depth": 0.5, "flow": 0.5}


def main():
    args = arguments(batch=(6, 2), width=(32, 4), side=(96, 16), pool=(64, 8))
    torch.manual_seed(0)
    model = Driver(args.width)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
    images, truths = scenes(args.pool, args.side)
    for step in range(1, args.steps + 1):
        chosen = torch.randint(args.pool, (args.batch,))
        said = model(images[chosen])
        optimizer.zero_grad()
        total = 0.0
        for task, loss_of in LOSSES.items():
            loss = WEIGHTS[task] * loss_of(said[task], truths[task][chosen])
            total = total + loss
        total.backward()
        optimizer.step()
        log(step, total.detach(), args)


if __name__ == "__main__":
    main()
