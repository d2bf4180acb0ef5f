"""Q-learning of a lift that serves many floors; what it has seen is kept in a memory from which transitions are drawn."""
import random
from collections import deque, namedtuple

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

from training import arguments, log

Transition = namedtuple("Transition", "state action reward after")
MOVES, DISCOUNT = 3, 0.97


class Memory:
    def __init__(self, capacity):
        self.kept = deque(maxlen=capacity)

    def push(self, *transition):
        self.kept.append(Transition(*transition))

    def sample(self, count):
        drawn = Transition(*zip(*random.sample(self.kept, count)))
        state, after = torch.from_numpy(np.stack(drawn.state)), torch.from_numpy(np.stack(drawn.after))
        return state, torch.tensor(drawn.action), torch.tensor(drawn.reward), after


class House:
    """Lifts side by side, each with its calls; a lift stays, goes up or goes down."""

    def __init__(self, lifts, floors, seed=0):
        self.rng = np.random.default_rng(seed)
        self.calls = np.zeros((lifts, floors), np.float32)
        self.floor = np.zeros(lifts, np.int64)
        self.rows = np.arange(lifts)

    def state(self):
        place = np.zeros_like(self.calls)
        place[self.rows, self.floor] = 1
        return np.concatenate([self.calls, place], 1)

    def move(self, action):
        """Rewards (lifts,): people served, less those who wait."""
        self.floor = np.clip(self.floor + np.array([0, 1, -1])[action], 0, self.calls.shape[1] - 1)
        served = self.calls[self.rows, self.floor].copy()
        self.calls[self.rows, self.floor] = 0
        self.calls = np.minimum(self.calls + (self.rng.random(self.calls.shape) < 0.02), 3).astype(np.float32)
        return served - 0.01 * self.calls.sum(1)


def network(inputs, width):
    return nn.Sequential(
        nn.Linear(inputs, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, MOVES)
    )


def main():
    args = arguments(batch=(1024, 8), lifts=(16, 4), floors=(20, 5), width=(512, 16), seen=(150_000, 400), capacity=(1_000_000, 2000))
    torch.manual_seed(0)
    random.seed(0)
    house, memory = House(args.lifts, args.floors), Memory(args.capacity)
    value, target = network(2 * args.floors, args.width), network(2 * args.floors, args.width).requires_grad_(False)
    optimizer = torch.optim.AdamW(value.parameters(), lr=3e-4, fused=True)
    state = house.state()

    def play(action):
        nonlocal state
        reward, before, state = house.move(action), state, house.state()
        for i in range(args.lifts):
            memory.push(before[i], int(action[i]), float(reward[i]), state[i])

    for action in np.random.default_rng(1).integers(MOVES, size=(args.seen // args.lifts, args.lifts)):
        play(action)
    for step in range(1, args.steps + 1):
        if step % 100 == 1:
            target.load_state_dict(value.state_dict())
        with torch.inference_mode():
            play(value(torch.from_numpy(state)).argmax(1).numpy())
        before, action, reward, after = memory.sample(args.batch)
        with torch.no_grad():
            wanted = reward + DISCOUNT * target(after).amax(1)
        loss = F.smooth_l1_loss(value(before).gather(1, action[:, None]).squeeze(1), wanted)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
