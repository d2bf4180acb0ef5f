import torch
import torch.nn.functional as F


def main(model, optimizer, train_loader, val_loader, config):
    for epoch in range(config["epochs"]):
        model.train()
        for x, y in train_loader:
            optimizer.zero_grad()
            F.cross_entropy(model(x), y).backward()
            optimizer.step()
        print("epoch", epoch)

    model.eval()
    with torch.no_grad():
        for x, y in val_loader:  # expect
            loss = F.cross_entropy(model(x), y)
    torch.save(model.state_dict(), "last.pt")
