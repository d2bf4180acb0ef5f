"""A recurrent model of letters whose first state is made on the host and moved in every step."""
import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F


class Letters(nn.Module):
    def __init__(self, letters, width, layers):
        super().__init__()
        self.width, self.layers = width, layers
        self.letters = nn.Embedding(letters, width)
        self.rnn = nn.GRU(width, width, layers, batch_first=True)
        self.head = nn.Linear(width, letters)

    def forward(self, x):
        device = x.device
        state = torch.zeros(self.layers, x.shape[0], self.width).to(device)
        hidden, _ = self.rnn(self.letters(x), state)
        return self.head(hidden)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--tiny", action="store_true")
    args = parser.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    batch, length, width = (2, 8, 16) if args.tiny else (16, 24, 112)
    torch.manual_seed(0)
    model = Letters(40, width, 2).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
    rows = torch.randint(0, 3, (32, batch, length + 1), generator=torch.Generator().manual_seed(1)).cumsum(2).remainder(40)
    for step in range(args.steps):
        row = rows[step % 32].to(device)
        logits = model(row[:, :-1])
        loss = F.cross_entropy(logits.flatten(0, 1), row[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 50 == 0:
            print(f"step {step} loss {loss.item():.6f}", flush=True)


if __name__ == "__main__":
    main()
