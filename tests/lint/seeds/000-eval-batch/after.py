# select GT506
import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset, random_split

device = "cuda" if torch.cuda.is_available() else "cpu"


@torch.no_grad()
def evaluate(model, loader):
    model.eval()
    total = torch.zeros((), device=device)
    for x, y in loader:
        total += F.cross_entropy(model(x.to(device)), y.to(device), reduction="sum")
    model.train()
    return total.item() / len(loader.dataset)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--batch-size", type=int, default=256)
    args = parser.parse_args()
    torch.manual_seed(0)
    dataset = TensorDataset(torch.randn(2048, 32), torch.randint(0, 10, (2048,)))
    train_set, val_set = random_split(dataset, [0.75, 0.25])
    train_loader = DataLoader(train_set, batch_size=args.batch_size, shuffle=True)
    val_loader = DataLoader(val_set, batch_size=args.batch_size)

    model = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 10)).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(3):
        for x, y in train_loader:
            optimizer.zero_grad()
            F.cross_entropy(model(x.to(device)), y.to(device)).backward()
            optimizer.step()
        print(f"epoch {epoch} loss {evaluate(model, val_loader):.3f}")


if __name__ == "__main__":
    main()
