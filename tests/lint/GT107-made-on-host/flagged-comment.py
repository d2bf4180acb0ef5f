"""A comment stands in what a fix would take away: it is left to people."""
import torch


def train(model, loader, optimizer, device):
    model.to(device)
    for epoch in range(9):
        for batch in loader:
            noise = torch.zeros(batch.shape[0], 4).to(device  # expect
            )
            loss = model(batch.to(device), noise).sum()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
