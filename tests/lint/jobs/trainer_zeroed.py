"""Regression with wide layers under a trainer class. Its gradients are filled with zeros instead of dropped."""
import argparse

import torch
import torch.nn as nn


class Tower(nn.Module):
    def __init__(self, inputs, width, layers):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(inputs if i == 0 else width, width) for i in range(layers))
        self.head = nn.Linear(width, 1)

    def forward(self, x):
        for layer in self.layers:
            x = torch.relu(layer(x))
        return self.head(x).squeeze(-1)


class Trainer:
    def __init__(self, model, data, lr):
        self.model, self.data = model, data
        self.optimizer = torch.optim.SGD(model.parameters(), lr=lr)
        self.criterion = nn.MSELoss()
        self.step = 0

    def train_step(self, x, y):
        self.optimizer.zero_grad(set_to_none=False)
        loss = self.criterion(self.model(x), y)
        loss.backward()
        self.optimizer.step()
        return loss

    def fit(self, steps):
        while self.step < steps:
            x, y = self.data[self.step % len(self.data)]
            loss = self.train_step(x, y)
            if self.step % 50 == 0:
                print(f"step {self.step} loss {loss.item():.6f}", flush=True)
            self.step += 1


def make_data(batch, inputs):
    generator = torch.Generator().manual_seed(1)
    weights = torch.randn(inputs, generator=generator)
    data = []
    for _ in range(16):
        x = torch.randn(batch, inputs, generator=generator)
        data.append((x, torch.tanh(x @ weights)))
    return data


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--tiny", action="store_true")
    args = parser.parse_args()
    batch, inputs, width, layers = (4, 8, 16, 2) if args.tiny else (48, 256, 1024, 4)
    torch.manual_seed(0)
    Trainer(Tower(inputs, width, layers), make_data(batch, inputs), lr=0.01).fit(args.steps)


if __name__ == "__main__":
    main()
