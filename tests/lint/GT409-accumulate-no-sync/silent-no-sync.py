import torch
from torch.nn.parallel import DistributedDataParallel as DDP

import contextlib

model = DDP(model.cuda())
for i, (x, y) in enumerate(loader):
    last = (i + 1) % 4 == 0
    with contextlib.nullcontext() if last else model.no_sync():
        loss = torch.nn.functional.mse_loss(model(x), y) / 4
        loss.backward()
    if (i + 1) % 4 == 0:
        optimizer.step()
        optimizer.zero_grad()
