"""A small job whose sources have what `gait lint` looks for: some of it costs, some does not."""
import torch
import torch.nn.functional as F
from torch import nn

LENGTH, WIDTH, DEVICE = 256, 64, "cuda" if torch.cuda.is_available() else "cpu"


class Rows(torch.utils.data.Dataset):
    def __len__(self):
        return 4000

    def __getitem__(self, i):
        row = torch.arange(i, i + LENGTH + 1, device=DEVICE) * 7919 % 97
        return row[:-1], row[1:]


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.table, self.head = nn.Embedding(97, WIDTH), nn.Linear(WIDTH, 97)
        self.up, self.down = nn.Linear(WIDTH, 2 * WIDTH), nn.Linear(2 * WIDTH, WIDTH)

    def forward(self, x):
        far = torch.arange(LENGTH)[:, None] - torch.arange(LENGTH)
        mask = torch.softmax((-0.1 * far.abs()).masked_fill(far < 0, float("-inf")), -1)
        h = mask.to(x.device) @ self.table(x)
        return self.head(h + self.down(F.gelu(self.up(h))))


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    model = Model().to(DEVICE)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
    loader = torch.utils.data.DataLoader(Rows(), batch_size=8, shuffle=True)
    total = 0.0
    for step, (x, y) in enumerate(loader):
        loss = F.cross_entropy(model(x).flatten(0, 1), y.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
        if step == 10_000:
            print(total / step, loss.item())


if __name__ == "__main__":
    main()
