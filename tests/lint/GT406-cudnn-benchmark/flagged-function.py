import torch.backends.cudnn as cudnn
from torch import nn


def prepare():
    cudnn.deterministic = True  # expect


prepare()
model = nn.Conv2d(3, 64, 3).cuda()
for x, y in loader:
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()
