import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader
from torchvision import datasets, models, transforms


def train(model, optimizer, train_set, device):
    loader = DataLoader(train_set, 32, pin_memory=torch.cuda.is_available())
    for batch in loader:
        batch = {k: v.to(device) for k, v in batch.items()}  # expect
        loss = model(**batch).loss
        loss.backward()
        optimizer.step()
