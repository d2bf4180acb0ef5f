"""A DataLoader with two forked workers, several epochs. 160 steps."""
import torch
from tiny_gpt import LENGTH, VOCAB, TinyGpt, loss_of
from torch.utils.data import DataLoader, Dataset


class Texts(Dataset):
    def __len__(self):
        return 160

    def __getitem__(self, i):
        return torch.arange(i, i + LENGTH + 1) % VOCAB


if __name__ == "__main__":
    torch.manual_seed(7)
    model = TinyGpt()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    loader = DataLoader(Texts(), batch_size=4, shuffle=True, num_workers=2, prefetch_factor=2)
    for epoch in range(4):
        for ids in loader:
            optimizer.zero_grad()
            loss = loss_of(model, ids)
            loss.backward()
            optimizer.step()
        print("epoch", epoch, loss.item())
    print("final", loss.item())
