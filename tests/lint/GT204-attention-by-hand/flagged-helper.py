import math

import torch as th
from torch import nn


def attend(q, k, v, mask=None, dropout=None):
    scores = th.matmul(q, k.transpose(-2, -1)) / math.sqrt(q.size(-1))
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -1e9)
    weights = scores.softmax(dim=-1)
    if dropout is not None:
        weights = dropout(weights)
    return th.matmul(weights, v)  # expect


class Pixels(nn.Module):
    def forward(self, q, k, v):
        weight = th.einsum("bct,bcs->bts", q * q.shape[1] ** -0.5, k)
        weight = th.softmax(weight.float(), dim=-1).type(weight.dtype)
        a = th.einsum("bts,bcs->bct", weight, v)  # expect
        return a + attend(q, k, v)
