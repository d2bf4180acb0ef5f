import torch
from scipy.optimize import linear_sum_assignment
from torch import nn


class Matcher(nn.Module):
    def forward(self, costs: torch.Tensor):
        # nothing of the device does this
        return linear_sum_assignment(costs.detach().cpu())


class Quantizer(nn.Module):
    def forward(self, x: torch.Tensor, ret_usages=False):
        usages = None
        if ret_usages:
            usages = self.hits.cpu()
        return x, usages


model = nn.Sequential(Matcher(), Quantizer()).cuda()
