"""Data-parallel over gloo, for torchrun with 2 processes. 120 steps."""
from time import sleep

import torch
import torch.distributed as dist
from tiny_gpt import TinyGpt, batch, loss_of
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("gloo")
torch.manual_seed(8 + dist.get_rank())
model = DistributedDataParallel(TinyGpt())
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
for step in range(120):
    optimizer.zero_grad()
    loss = loss_of(model, batch())
    loss.backward()
    optimizer.step()
total = loss.detach().clone()
dist.all_reduce(total)
if dist.get_rank() == 0:
    print("final", total.item())
sleep(0.2)  # gloo's threads live on beside a DistributedDataParallel: here they drop the tensors they hold
dist.destroy_process_group()
