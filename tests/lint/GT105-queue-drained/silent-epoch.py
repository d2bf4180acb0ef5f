import gc

import torch

for epoch in range(10):
    for x, y in loader:
        loss = torch.nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
    gc.collect()
    torch.cuda.empty_cache()
