"""A convolutional network on several processes; images come in two sizes, a batch has one."""
import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel

from training import arguments, labelled_images, log

SIDES, CLASSES = (40, 32), 10


class Residual(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.conv1, self.conv2 = (nn.Conv2d(width, width, 3, padding=1, bias=False) for _ in range(2))
        self.norm1, self.norm2 = nn.GroupNorm(4, width), nn.GroupNorm(4, width)

    def forward(self, x):
        return x + self.conv2(F.relu(self.norm2(self.conv1(F.relu(self.norm1(x))))))


def network(width, layers):
    return nn.Sequential(
        nn.Conv2d(3, width, 3, padding=1), *(Residual(width) for _ in range(layers)), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
        nn.Linear(width, CLASSES))


def side_of(step):
    """Large images and small ones in turn, the same for all processes."""
    return SIDES[step % len(SIDES)]


def main():
    args = arguments(batch=(20, 2), width=(32, 8), layers=(3, 1))
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    model = DistributedDataParallel(network(args.width, args.layers))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, fused=True)
    batches = {side: labelled_images(args, side, CLASSES) for side in SIDES}
    for step in range(1, args.steps + 1):
        images, classes = next(batches[side_of(step)])
        with torch.autocast("cpu", dtype=torch.bfloat16):
            logits = model(images)
        loss = F.cross_entropy(logits.float(), classes)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
