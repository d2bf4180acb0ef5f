import torch
import torch.nn.functional as F
from precision import forward_in_bf16
from model import Net

model = Net().cuda()
optimizer = torch.optim.AdamW(model.parameters())
for x, y in loader:
    loss = F.cross_entropy(forward_in_bf16(model, x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
