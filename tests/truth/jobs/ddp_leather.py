"""Two processes find flaws in leather with a deep network of batch norms, whose statistics they share."""
import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP

from training import arguments, log

SHARE_EVERY = 1


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.conv1, self.conv2 = (nn.Conv2d(width, width, 3, 1, 1, bias=False) for _ in range(2))
        self.norm1, self.norm2 = nn.BatchNorm2d(width), nn.BatchNorm2d(width)

    def forward(self, x):
        h = F.relu(self.norm1(self.conv1(x)))
        return F.relu(x + self.norm2(self.conv2(h)))


def network(width, layers):
    return nn.Sequential(
        nn.Conv2d(1, width, 4, 4), *[Block(width) for _ in range(layers)], nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(width, 2)
    )


def share_statistics(model):
    """The mean over all processes of what the norms have seen, for when the model is used."""
    for module in model.modules():
        if isinstance(module, nn.BatchNorm2d):
            both = torch.stack([module.running_mean, module.running_var]) / dist.get_world_size()
            dist.all_reduce(both)
            module.running_mean, module.running_var = both


def leather(count, side, seed):
    rng = torch.Generator().manual_seed(seed)
    flawed = torch.randint(2, (count,), generator=rng)
    hide = torch.randn(count, 1, side, side, generator=rng)
    hide[:, :, side // 2 : side // 2 + 2] += 2.0 * flawed[:, None, None, None]
    return hide, flawed


def main():
    args = arguments(batch=(12, 2), side=(64, 16), width=(44, 4), layers=(4, 2))
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    model = DDP(network(args.width, args.layers), broadcast_buffers=False, gradient_as_bucket_view=True)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
    hide, flawed = leather(20 * args.batch, args.side, seed=dist.get_rank())
    for step in range(1, args.steps + 1):
        at = step % 20 * args.batch
        loss = F.cross_entropy(model(hide[at : at + args.batch]), flawed[at : at + args.batch])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % SHARE_EVERY == 0:
            share_statistics(model.module)
        log(step, loss, args)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
