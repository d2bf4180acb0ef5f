import argparse

import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader
from torchvision import datasets, models, transforms

parser = argparse.ArgumentParser()
parser.add_argument("-j", "--num-workers", type=int, default=0)
args = parser.parse_args()
train_set = datasets.ImageFolder("train", transforms.ToTensor())
loader = DataLoader(train_set, batch_size=256, shuffle=True, num_workers=args.num_workers)
model = models.resnet18().cuda()
for epoch in range(90):
    for x, y in loader:
        loss = F.cross_entropy(model(x.cuda()), y.cuda())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
