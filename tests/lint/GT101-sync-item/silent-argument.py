import random

import torch
import torch.nn.functional as F


def dropped(rates, i):
    # who calls it has them on the host, or not: nothing here says
    return random.random() < rates[i].item()


model = Net().cuda()
for step, batch in enumerate(loader):
    if dropped(batch["rates"], 0):
        batch["text"] = ""
    loss = F.cross_entropy(model(batch["x"].cuda()), batch["y"].cuda())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
