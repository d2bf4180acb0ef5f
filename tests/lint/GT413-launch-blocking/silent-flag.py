import os

import torch

if args.debug:
    os.environ["CUDA_LAUNCH_BLOCKING"] = "1"
for x, y in loader:
    loss = torch.nn.functional.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()
