import sys

import torch
from torch import nn

model = nn.Linear(8, 8).cuda()
for x, y in loader:
    loss = torch.nn.functional.mse_loss(model(x.cuda()), y.cuda())
    # a training that is lost is to end at once: somebody wants to know in every step
    if torch.isnan(loss):
        raise RuntimeError("the loss is not a number")
    if not torch.isfinite(loss):
        print("stopping")
        sys.exit(1)
    assert not torch.isnan(loss).any()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
