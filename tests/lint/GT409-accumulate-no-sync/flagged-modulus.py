import torch
from torch.nn.parallel import DistributedDataParallel as DDP

model = DDP(model.cuda())
for i, (x, y) in enumerate(loader):
    loss = torch.nn.functional.mse_loss(model(x), y) / 4
    loss.backward()  # expect
    if (i + 1) % 4 == 0:
        optimizer.step()
        optimizer.zero_grad()
