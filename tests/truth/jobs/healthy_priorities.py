"""Q-learning of a warehouse robot from a memory that draws by how wrong it was; chances change with each step."""
import copy

import numpy as np
import torch
import torch.nn as nn

from training import arguments, log

STATE, MOVES, DISCOUNT = 32, 8, 0.95


class Dueling(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(STATE, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU())
        self.worth, self.gain = nn.Linear(width, 1), nn.Linear(width, MOVES)

    def forward(self, state):
        h = self.body(state)
        gain = self.gain(h)
        return self.worth(h) + gain - gain.mean(1, keepdim=True)


class Memory:
    def __init__(self, count, seed=0):
        self.rng = np.random.default_rng(seed)
        state = torch.from_numpy(self.rng.standard_normal((count, STATE), dtype=np.float32))
        action = torch.from_numpy(self.rng.integers(0, MOVES, count))
        after = state.clone()
        after[torch.arange(count), action] += 0.5
        self.columns = state, action, -after[:, :MOVES].abs().mean(1), after
        self.priority = np.ones(count, np.float32)

    def sample(self, count):
        """Transitions, where they are, and weights that make up for drawing some more often."""
        below = self.priority.cumsum(dtype=np.float64)
        at = np.searchsorted(below, self.rng.random(count) * below[-1])
        weight = (below[-1] / self.priority[at]) ** 0.4
        return [column[at] for column in self.columns], at, torch.from_numpy((weight / weight.max()).astype(np.float32))

    def update(self, at, error):
        self.priority[at] = (error.numpy() + 1e-3) ** 0.6


def main():
    args = arguments(batch=(1280, 8), width=(448, 8), seen=(50_000, 200))
    torch.manual_seed(0)
    memory, value = Memory(args.seen), Dueling(args.width)
    target = copy.deepcopy(value).requires_grad_(False)
    optimizer = torch.optim.AdamW(value.parameters(), lr=3e-4, fused=True)
    for step in range(1, args.steps + 1):
        if step % 200 == 0:
            target.load_state_dict(value.state_dict())
        (state, action, reward, after), at, weight = memory.sample(args.batch)
        with torch.no_grad():
            best = value(after).argmax(1, keepdim=True)
            wanted = reward + DISCOUNT * target(after).gather(1, best).squeeze(1)
        error = value(state).gather(1, action[:, None]).squeeze(1) - wanted
        loss = (weight * error.square()).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        memory.update(at, error.detach().abs())
        log(step, loss, args)


if __name__ == "__main__":
    main()
