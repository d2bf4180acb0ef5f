import argparse

import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader

parser = argparse.ArgumentParser()
parser.add_argument("--pin", action="store_true")
args = parser.parse_args()
train_loader = DataLoader(train_set, 256, num_workers=8, pin_memory=args.pin)
for x, y in train_loader:
    x = x.to("cuda")
    y = y.to("cuda")
    loss = F.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
