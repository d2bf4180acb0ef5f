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


def train(loader):
    model = Net().cuda()
    model.load_state_dict(torch.load("start.pt"))
    optimizer = torch.optim.AdamW(model.parameters())
    for x, y in loader:
        logits = model(x.cuda())  # expect
        loss = F.cross_entropy(logits, y.cuda())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
