"""Remembers symbols over a long gap with minimal gated units whose recurrent weights are normalised."""
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.utils import parametrizations

from training import arguments, log

SYMBOLS = 10


class Unit(nn.Module):
    """One gate both forgets and writes."""

    def __init__(self, width):
        super().__init__()
        self.enter = nn.Linear(SYMBOLS, 2 * width)
        self.gate = parametrizations.weight_norm(nn.Linear(width, width, bias=False))
        self.write = parametrizations.weight_norm(nn.Linear(width, width, bias=False))

    def forward(self, seen, state):
        a, b = seen.chunk(2, 1)
        gate = torch.sigmoid(a + self.gate(state))
        return torch.lerp(state, torch.tanh(b + self.write(gate * state)), gate)


class Memory(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.unit, self.head = Unit(width), nn.Linear(width, SYMBOLS)
        self.start = nn.Parameter(torch.zeros(width))

    def forward(self, symbols, recalled):
        """The scores of the last few symbols, which have to be those of the beginning."""
        seen = self.unit.enter(F.one_hot(symbols, SYMBOLS).float())
        state, states = self.start.expand(len(symbols), -1), []
        for moment in seen.unbind(1):
            state = self.unit(moment, state)
            states.append(state)
        return self.head(torch.stack(states[-recalled:], 1))


def main():
    args = arguments(batch=(160, 4), gap=(20, 4), recalled=(4, 2), width=(256, 12))
    torch.manual_seed(0)
    model = Memory(args.width)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
    for step in range(1, args.steps + 1):
        wanted = torch.randint(SYMBOLS - 2, (args.batch, args.recalled))
        blank = torch.full((args.batch, args.gap), SYMBOLS - 2)
        ask = torch.full((args.batch, args.recalled), SYMBOLS - 1)
        said = model(torch.cat([wanted, blank, ask], 1), args.recalled)
        loss = F.cross_entropy(said.flatten(0, 1), wanted.flatten())
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
