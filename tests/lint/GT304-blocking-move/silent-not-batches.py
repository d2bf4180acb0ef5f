import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader
from torchvision import datasets, models, transforms

train_loader = DataLoader(train_set, 256, num_workers=8, pin_memory=True)
for x, y in train_loader:
    x = x.cuda(non_blocking=True)
    y = y.to("cuda", non_blocking=True)
    eye = torch.eye(len(x)).to(x.device)
    loss = (F.cross_entropy(model(x), y, reduction="none") * eye.sum(0)).mean()
    loss.backward()
    optimizer.step()


@torch.no_grad()
def evaluate(model, val_loader):
    for x, y in val_loader:
        x = x.cuda()
        print(F.cross_entropy(model(x), y.cuda()))
