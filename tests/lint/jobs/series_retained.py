"""Forecasts of a long series, a piece a step, the state carried on. The graph of each step is kept though nothing goes back over it."""
import argparse

import torch
import torch.nn as nn


class Forecaster(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.enter = nn.Linear(1, width)
        self.rnn = nn.LSTM(width, width, num_layers=2, batch_first=True)
        self.head = nn.Linear(width, 1)

    def forward(self, x, state):
        hidden, state = self.rnn(self.enter(x), state)
        return self.head(hidden), state


def train(model, optimizer, series, piece, steps):
    criterion = nn.MSELoss()
    state = None
    for step in range(steps):
        at = step * piece % (series.shape[1] - piece - 1)
        x, y = series[:, at : at + piece], series[:, at + 1 : at + piece + 1]
        if state is not None:
            state = tuple(part.detach() for part in state)
        prediction, state = model(x, state)
        loss = criterion(prediction, y)
        optimizer.zero_grad()
        loss.backward(retain_graph=True)
        optimizer.step()
        if step % 50 == 0:
            print(f"step {step} loss {loss.item():.6f}", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--tiny", action="store_true")
    args = parser.parse_args()
    batch, piece, width = (2, 8, 16) if args.tiny else (16, 48, 96)
    torch.manual_seed(0)
    t = torch.arange(4096.0)
    series = torch.stack([torch.sin(t / (7 + i)) + torch.sin(t / (31 + 2 * i)) for i in range(batch)]).unsqueeze(-1)
    model = Forecaster(width)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
    train(model, optimizer, series, piece, args.steps)


if __name__ == "__main__":
    main()
