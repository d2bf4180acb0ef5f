import torch
from torch.nn.parallel import DistributedDataParallel as DDP

model = DDP(model, find_unused_parameters=args.find_unused)
for x, y in loader:
    loss = torch.nn.functional.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()
