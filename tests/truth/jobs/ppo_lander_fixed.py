"""PPO that lands a probe: many copies of a small NumPy environment, a rollout, then some epochs over it."""
import copy

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.distributions import Categorical

from training import arguments, log

ACTIONS, SEEN = 4, 32
GAMMA, LAMBDA, CLIP, ENTROPY = 0.99, 0.95, 0.2, 0.01
EPOCHS, MINIBATCHES = 4, 4


class Landers:
    """count probes over a plain: height, drift, two speeds, tilt, seen through a fixed random projection."""

    def __init__(self, count, seed=0):
        self.rng, self.count = np.random.default_rng(seed), count
        self.view = self.rng.standard_normal((6, SEEN)).astype(np.float32)
        self.state = np.stack([self.start() for _ in range(count)])

    def start(self):
        return np.array([1.0, *self.rng.uniform(-0.3, 0.3, 5)], dtype=np.float32)

    def observe(self):
        return np.tanh(self.state @ self.view)

    def step(self, action):
        s = self.state
        thrust = (action == 1) * 0.06
        s[:, 2] += thrust - 0.03
        s[:, 3] += ((action == 2) * 0.03 - (action == 3) * 0.03) + 0.01 * s[:, 4]
        s[:, 0] += 0.1 * s[:, 2]
        s[:, 1] += 0.1 * s[:, 3]
        reward = -0.1 * np.abs(s[:, 1]) - 0.05 * thrust - 0.02 * np.abs(s[:, 2])
        done = (s[:, 0] <= 0) | (np.abs(s[:, 1]) > 2)
        reward = reward + done * (1 - 2 * np.abs(s[:, 2]) - np.abs(s[:, 1]))
        for i in np.flatnonzero(done):
            s[i] = self.start()
        return self.observe(), reward.astype(np.float32), done


class ActorCritic(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(SEEN, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh())
        self.policy, self.value = nn.Linear(width, ACTIONS), nn.Linear(width, 1)

    def forward(self, seen):
        h = self.body(seen)
        return Categorical(logits=self.policy(h), validate_args=False), self.value(h).squeeze(-1)


@torch.no_grad()
def rollout(env, actor, horizon):
    """What was seen, done and earned, each (horizon, count), and the advantages."""
    seen = torch.from_numpy(env.observe())
    steps = []
    for _ in range(horizon):
        policy, value = actor(seen)
        action = policy.sample()
        after, reward, done = env.step(action.numpy())
        steps.append((seen, action, policy.log_prob(action), value, torch.from_numpy(reward), torch.from_numpy(done)))
        seen = torch.from_numpy(after)
    observed, actions, chances, values, rewards, ends = map(torch.stack, zip(*steps))
    following, advantage = actor(seen)[1], torch.zeros(env.count)
    advantages = torch.empty_like(values)
    for t in reversed(range(horizon)):
        alive = 1 - ends[t].float()
        delta = rewards[t] + GAMMA * following * alive - values[t]
        advantage = delta + GAMMA * LAMBDA * alive * advantage
        advantages[t], following = advantage, values[t]
    return [x.flatten(0, 1) for x in (observed, actions, chances, advantages, advantages + values)]


def main():
    args = arguments(batch=(160, 8), width=(640, 16), horizon=(32, 8))
    torch.manual_seed(0)
    env = Landers(args.batch)
    model = ActorCritic(args.width)
    actor = copy.deepcopy(model).requires_grad_(False)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-4, eps=1e-5, fused=True)
    step = 0
    while step < args.steps:
        actor.load_state_dict(model.state_dict())
        seen, action, before, advantage, target = rollout(env, actor, args.horizon)
        advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
        for _ in range(EPOCHS):
            for chosen in torch.randperm(len(seen)).chunk(MINIBATCHES):
                policy, value = model(seen[chosen])
                ratio = (policy.log_prob(action[chosen]) - before[chosen]).exp()
                gain = torch.minimum(ratio * advantage[chosen], ratio.clamp(1 - CLIP, 1 + CLIP) * advantage[chosen]).mean()
                loss = 0.5 * F.mse_loss(value, target[chosen]) - gain - ENTROPY * policy.entropy().mean()
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(model.parameters(), 0.5)
                optimizer.step()
                step += 1
                log(step, loss.detach(), args)


if __name__ == "__main__":
    main()
