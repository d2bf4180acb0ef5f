import torch
from torch.nn.parallel import DistributedDataParallel as DDP

model = DDP(model.cuda())
for epoch in range(10):
    for i, (x, y) in enumerate(loader):
        loss = torch.nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
        if i % 100 == 0:
            print(i)
