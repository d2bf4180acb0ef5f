import torch
from torch.nn.parallel import DistributedDataParallel as DDP

model = DDP(model.cuda())
for step in range(1000):
    for micro in range(8):
        x, y = next(batches)
        loss = torch.nn.functional.mse_loss(model(x), y) / 8
        loss.backward()  # expect
    optimizer.step()
    optimizer.zero_grad()
