import torch
from torch import autograd

if __name__ == "__main__":
    for x, y in loader:
        with autograd.detect_anomaly():  # expect
            loss = torch.nn.functional.mse_loss(model(x), y)
            loss.backward()
        optimizer.step()
