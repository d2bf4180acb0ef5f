"""Items that take long to load, without workers: most of a step is time.sleep(), between small operators of the data set."""
import time

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Items(Dataset):
    def __len__(self):
        return 6400

    def __getitem__(self, i):
        x = torch.randn(256, generator=torch.Generator().manual_seed(i))
        time.sleep(0.001)  # reads and decodes
        return x, (x.sum() > 0).long()


torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.Sequential(nn.Linear(256, 512), nn.ReLU(), nn.Linear(512, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=1e-2)
for x, y in DataLoader(Items(), batch_size=32):
    optimizer.zero_grad()
    nn.functional.cross_entropy(model(x), y).backward()
    optimizer.step()
