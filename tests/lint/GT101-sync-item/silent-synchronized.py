import time

import torch
import torch.nn.functional as F

model = Net().to("cuda")
for x, y in loader:
    start = time.time()
    loss = F.cross_entropy(model(x.cuda()), y.cuda())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    # the step waits for the device as it is
    torch.cuda.synchronize()
    print(time.time() - start, loss.item())
