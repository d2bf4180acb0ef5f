import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.TransformerEncoderLayer(256, 8)
        self.head = nn.Linear(256, 10)

    def forward(self, x):
        return self.head(self.first(x).mean(1))


def importances(model, loader, scores):
    for x, y in loader:
        loss = F.cross_entropy(model(x.cuda()), y.cuda())
        loss.backward()
        scores.step()
