"""Double DQN that keeps a pole up: a ring buffer in NumPy, a target network refreshed every 50 steps."""
import copy

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

from training import arguments, log

ACTIONS, SEEN, GAMMA = 3, 24, 0.98
REFRESH = 50


class Poles:
    """count poles on carts, seen through a fixed projection."""

    def __init__(self, count, seed=0):
        self.rng = np.random.default_rng(seed)
        self.view = self.rng.standard_normal((4, SEEN)).astype(np.float32)
        self.state = self.rng.uniform(-0.1, 0.1, (count, 4)).astype(np.float32)

    def observe(self):
        return np.tanh(self.state @ self.view)

    def step(self, action):
        place, speed, angle, spin = self.state.T
        push = (action - 1) * 0.5
        spin = spin + 0.1 * (2 * np.sin(angle) - push * np.cos(angle))
        speed = speed + 0.1 * push
        self.state = np.stack([place + 0.1 * speed, speed, angle + 0.1 * spin, spin], 1).astype(np.float32)
        fallen = (np.abs(self.state[:, 2]) > 0.6) | (np.abs(self.state[:, 0]) > 3)
        self.state[fallen] = self.rng.uniform(-0.1, 0.1, (fallen.sum(), 4))
        return self.observe(), np.where(fallen, -1.0, 0.1).astype(np.float32), fallen.astype(np.float32)


class Replay:
    def __init__(self, size, seed=0):
        self.rng, self.size, self.at, self.full = np.random.default_rng(seed), size, 0, 0
        self.parts = [np.zeros((size, SEEN), np.float32), np.zeros(size, np.int64), np.zeros(size, np.float32), np.zeros((size, SEEN), np.float32), np.zeros(size, np.float32)]

    def add(self, *columns):
        where = (self.at + np.arange(len(columns[0]))) % self.size
        for part, column in zip(self.parts, columns):
            part[where] = column
        self.at = (self.at + len(where)) % self.size
        self.full = min(self.size, self.full + len(where))

    def sample(self, count):
        where = self.rng.integers(0, self.full, count)
        return [torch.from_numpy(part[where]) for part in self.parts]


def network(width):
    return nn.Sequential(nn.Linear(SEEN, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, ACTIONS))


def main():
    args = arguments(batch=(1536, 16), poles=(32, 4), width=(512, 16), memory=(50_000, 500))
    torch.manual_seed(0)
    env, memory = Poles(args.poles), Replay(args.memory)
    online = network(args.width)
    target = copy.deepcopy(online).requires_grad_(False)
    optimizer = torch.optim.AdamW(online.parameters(), lr=3e-4, fused=True)
    seen, explore = env.observe(), np.random.default_rng(1)
    for step in range(1, args.steps + 1):
        with torch.no_grad():
            action = online(torch.from_numpy(seen)).argmax(1).numpy()
        action = np.where(explore.random(args.poles) < 0.1, explore.integers(0, ACTIONS, args.poles), action)
        after, reward, fallen = env.step(action)
        memory.add(seen, action, reward, after, fallen)
        seen = after
        s, a, r, following, end = memory.sample(args.batch)
        with torch.no_grad():
            best = online(following).argmax(1, keepdim=True)
            wanted = r + GAMMA * (1 - end) * target(following).gather(1, best).squeeze(1)
        loss = F.smooth_l1_loss(online(s).gather(1, a[:, None]).squeeze(1), wanted)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % REFRESH == 0:
            target.load_state_dict(online.state_dict())
        log(step, loss, args)


if __name__ == "__main__":
    main()
