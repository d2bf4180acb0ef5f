import os

import torch


def main(loader, model, optimizer):
    os.environ['CUDA_LAUNCH_BLOCKING'] = '1'  # expect
    for x, y in loader:
        loss = torch.nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
