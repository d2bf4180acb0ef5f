import torch
from torch import nn


class Learner(nn.Module):
    def zero_grad(self, parameters=None):
        for p in parameters or self.parameters():
            if p.grad is not None:
                p.grad.zero_()


class Trainer:
    def __init__(self, net):
        self.net = net
        self.optimizer = torch.optim.Adam(net.parameters())

    def fit(self, loader):
        for x, y in loader:
            loss = nn.functional.mse_loss(self.net(x), y)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
