# select GT505 GT504
import os
import tempfile

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset, random_split

device = "cuda" if torch.cuda.is_available() else "cpu"


@torch.no_grad()
def validate(model, loader):
    model.eval()
    total = torch.zeros((), device=device)
    for x, y in loader:
        total += F.cross_entropy(model(x.to(device)), y.to(device), reduction="sum")
    model.train()
    return total.item() / len(loader.dataset)


def train(folder, num_epochs):
    torch.manual_seed(0)
    dataset = TensorDataset(torch.randn(1024, 32), torch.randint(0, 10, (1024,)))
    train_set, val_set = random_split(dataset, [0.75, 0.25])
    train_loader = DataLoader(train_set, batch_size=128, shuffle=True)
    val_loader = DataLoader(val_set, batch_size=128)
    model = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 10)).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(num_epochs):
        train_loss = torch.zeros((), device=device)
        for x, y in train_loader:
            optimizer.zero_grad(set_to_none=True)
            loss = F.cross_entropy(model(x.to(device)), y.to(device))
            loss.backward()
            optimizer.step()
            train_loss += loss.detach()
        print(f"Epoch [{epoch + 1}/{num_epochs}] Average Train Loss: {train_loss.item() / len(train_loader):.4f}")
        val_loss = validate(model, val_loader)
        print(f"Val Loss: {val_loss:.4f}")
        if (epoch + 1) % 5 == 0:
            state = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epoch": epoch}
            torch.save(state, os.path.join(folder, f"epoch_{epoch}.pt"))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as models:
        train(models, num_epochs=5)
