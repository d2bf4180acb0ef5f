import numpy as np
import torch

for step in range(1000):
    loss = model(next(batches))
    loss.backward()
    optimizer.step()
    if step % 100 == 0:
        print(step, loss.item())
    seconds = float(np.mean(times))
    size = int(batch.shape[0])
    rate = float(scheduler.get_last_lr()[0])
