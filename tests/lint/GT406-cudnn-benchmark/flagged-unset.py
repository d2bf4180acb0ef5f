import torch
import torch.nn.functional as F
from torch import nn

model = nn.Sequential(nn.Conv2d(3, 64, 3), nn.ReLU(), nn.Flatten(), nn.Linear(57600, 10)).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for x, y in loader:
    loss = F.cross_entropy(model(x.cuda()), y.cuda())  # expect
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
