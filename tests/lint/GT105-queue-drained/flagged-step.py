import time

import torch


def train_one_epoch(model, loader, optimizer):
    for x, y in loader:
        t0 = time.time()
        loss = model(x, y)
        loss.backward()
        optimizer.step()
        torch.cuda.synchronize()  # expect
        meter.update(time.time() - t0)
