"""Two processes count fruit in pictures of orchards; every few steps the error on pictures that were set aside is told."""
import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP

from training import arguments, log

TEST_EVERY = 5


def network(width):
    return nn.Sequential(
        nn.Conv2d(3, width, 3, 2, 1),
        nn.GroupNorm(4, width),
        nn.ReLU(),
        nn.Conv2d(width, 2 * width, 3, 2, 1),
        nn.GroupNorm(4, 2 * width),
        nn.ReLU(),
        nn.Conv2d(2 * width, 2 * width, 3, 2, 1),
        nn.ReLU(),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(2 * width, 1),
    )


@torch.inference_mode()
def error(model, picture, fruit, batch):
    """Sum of the distances between count and truth."""
    total = torch.zeros(())
    for at in range(0, len(fruit), batch):
        total += (model(picture[at : at + batch]).squeeze(1) - fruit[at : at + batch]).abs().sum()
    return total


def orchards(count, side, seed):
    rng = torch.Generator().manual_seed(seed)
    fruit = torch.randint(1, 9, (count,), generator=rng).float()
    dots = torch.rand(count, 1, side, side, generator=rng) < fruit.view(-1, 1, 1, 1) / 200
    return torch.randn(count, 3, side, side, generator=rng) + 3 * dots, fruit


def main():
    args = arguments(batch=(22, 2), side=(64, 16), width=(32, 4), tests=(80, 4))
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    torch.manual_seed(0)
    model = DDP(network(args.width), gradient_as_bucket_view=True)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
    picture, fruit = orchards(20 * args.batch, args.side, seed=1 + rank)
    test_picture, test_fruit = orchards(args.tests, args.side, seed=0)
    for step in range(1, args.steps + 1):
        at = step % 20 * args.batch
        loss = F.smooth_l1_loss(model(picture[at : at + args.batch]).squeeze(1), fruit[at : at + args.batch])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % TEST_EVERY == 0:
            if rank == 0:
                off = error(model.module, test_picture, test_fruit, args.batch) / args.tests
            dist.barrier()
        log(step, loss, args)
    if rank == 0:
        print(f"off by {off:.2f}", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
