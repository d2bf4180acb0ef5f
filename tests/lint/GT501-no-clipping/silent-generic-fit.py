import torch
from torch import nn


class BaseModel(nn.Module):
    def fit(self, loader):
        optimizer = torch.optim.Adam(self.parameters(), lr=0.001)
        for x, y in loader:
            loss = nn.functional.binary_cross_entropy(self(x), y, reduction="sum")
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        torch.save(self.state_dict(), "model.pt")


class Interests(BaseModel):
    def __init__(self, items):
        super().__init__()
        self.items = nn.Embedding(items, 8)
        self.rnn = nn.GRU(8, 8)
