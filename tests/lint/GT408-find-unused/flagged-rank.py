import torch
from torch.nn.parallel import DistributedDataParallel as DDP

if world_size > 1 and torch.cuda.is_available():
    model = DDP(model, find_unused_parameters=True)  # expect
for x, y in loader:
    loss = torch.nn.functional.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()
