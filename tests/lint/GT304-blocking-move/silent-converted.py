import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader

train_loader = DataLoader(train_set, 256, num_workers=8, pin_memory=True)
for x, y in train_loader:
    # new memory, that no loader has pinned
    x = x.float()
    x = x.to("cuda")
    y = torch.Tensor(y).cuda()
    loss = F.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
