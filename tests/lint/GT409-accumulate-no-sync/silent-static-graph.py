import torch
from torch.nn.parallel import DistributedDataParallel as DDP

model = DDP(model.cuda(), static_graph=True)
for i, (x, y) in enumerate(loader):
    loss = torch.nn.functional.mse_loss(model(x), y) / 4
    loss.backward()
    if (i + 1) % 4 == 0:
        optimizer.step()
        optimizer.zero_grad()
