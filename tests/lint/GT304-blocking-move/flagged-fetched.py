import torch
import torch.nn.functional as F
from torch.utils.data.dataloader import DataLoader

train_loader = DataLoader(train_set, 256, num_workers=8, pin_memory=True)
batches = iter(train_loader)
for step in range(10000):
    try:
        batch = next(batches)
    except StopIteration:
        batches = iter(train_loader)
        batch = next(batches)
    x, y = [t.to("cuda") for t in batch]  # expect
    loss = F.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
