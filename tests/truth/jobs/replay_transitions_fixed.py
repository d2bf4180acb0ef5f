"""Q-learning from a memory of transitions, with a second network that follows slowly."""
import copy
import random

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

from training import arguments, log

OBSERVED, ACTIONS, DISCOUNT = 24, 6, 0.98


def network(width):
    return nn.Sequential(
        nn.Linear(OBSERVED, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(),
        nn.Linear(width, ACTIONS))


def play(count):
    """Transitions (state, action, reward, next state, end) of a walk at random."""
    rng = np.random.default_rng(0)
    pull = rng.standard_normal((ACTIONS, OBSERVED)).astype(np.float32)
    memory, state = [], np.zeros(OBSERVED, dtype=np.float32)
    for i in range(count):
        action = int(rng.integers(ACTIONS))
        after = (0.9 * state + 0.1 * pull[action]).astype(np.float32)
        memory.append((state, action, float(-np.abs(after).mean()), after, i % 50 == 49))
        state = after
    return memory


def to_batch(transitions):
    """A tensor of each column."""
    states, actions, rewards, afters, ends = zip(*transitions)
    return (torch.from_numpy(np.stack(states)), torch.tensor(actions), torch.tensor(rewards),
            torch.from_numpy(np.stack(afters)), torch.tensor(ends, dtype=torch.float32))


def main():
    args = arguments(batch=(512, 8), width=(1792, 16))
    torch.manual_seed(0)
    model = network(args.width)
    follower = copy.deepcopy(model).requires_grad_(False)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4, fused=True)
    memory, draw = play(8192), random.Random(0)
    for step in range(1, args.steps + 1):
        states, actions, rewards, afters, ends = to_batch(draw.sample(memory, args.batch))
        with torch.autocast("cpu", dtype=torch.bfloat16):
            values, best = model(states), follower(afters).amax(1)
        target = rewards + DISCOUNT * (1 - ends) * best.float()
        loss = F.smooth_l1_loss(values.float().gather(1, actions.unsqueeze(1)).squeeze(1), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            torch._foreach_lerp_(list(follower.parameters()), list(model.parameters()), 0.01)
        log(step, loss, args)


if __name__ == "__main__":
    main()
