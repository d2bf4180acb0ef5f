import torch
from engine import train_epoch

model = torch.nn.Linear(10, 2)
optimizer = torch.optim.AdamW(model.parameters())
for epoch in range(10):
    train_epoch(model, loader, optimizer)
