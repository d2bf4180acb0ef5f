import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader
from torchvision import datasets, models, transforms


def train(model, labeled_loader, unlabeled_loader, optimizer):
    for (x, y), (u, _) in zip(labeled_loader, unlabeled_loader):
        # new memory, that no loader has pinned; only the few targets are moved as they come
        inputs = torch.cat((x, u)).cuda()
        targets = y.cuda()
        loss = F.cross_entropy(model(inputs)[: len(targets)], targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


train_set = datasets.ImageFolder("train", transforms.ToTensor())
labeled_loader = DataLoader(train_set, batch_size=64, shuffle=True, num_workers=8)
unlabeled_loader = DataLoader(train_set, batch_size=256, shuffle=True, num_workers=8)
train(models.resnet18().cuda(), labeled_loader, unlabeled_loader, optimizer)
