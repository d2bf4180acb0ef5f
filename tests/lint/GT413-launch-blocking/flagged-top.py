import os

os.environ["CUDA_LAUNCH_BLOCKING"] = "1"  # expect
import torch

model = torch.nn.Linear(8, 8).cuda()
for x, y in loader:
    loss = torch.nn.functional.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()
