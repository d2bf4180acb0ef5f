"""Data-parallel over gloo, with a layer that sums over the ranks forward and backward. 120 steps."""
from time import sleep

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel


class Summed(torch.autograd.Function):
    @staticmethod
    def forward(context, x):
        x = x.clone()
        dist.all_reduce(x)
        return x

    @staticmethod
    def backward(context, gradient):
        gradient = gradient.clone()
        dist.all_reduce(gradient)
        return gradient


class Centred(nn.Module):
    """Takes the mean over all ranks' rows away, as a layer that normalizes over ranks does."""

    def forward(self, x):
        return x - Summed.apply(x.mean(0)) / dist.get_world_size()


dist.init_process_group("gloo")
torch.manual_seed(8 + dist.get_rank())
model = DistributedDataParallel(nn.Sequential(nn.Linear(16, 32), Centred(), nn.GELU(), nn.Linear(32, 1)))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
for step in range(120):
    optimizer.zero_grad()
    loss = model(torch.randn(8, 16)).square().mean()
    loss.backward()
    optimizer.step()
total = loss.detach().clone()
dist.all_reduce(total)
if dist.get_rank() == 0:
    print("final", total.item())
sleep(0.2)  # gloo's threads live on beside a DistributedDataParallel: here they drop the tensors they hold
dist.destroy_process_group()
