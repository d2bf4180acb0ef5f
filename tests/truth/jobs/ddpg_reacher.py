"""An arm learns to reach a point: a deterministic actor and a critic with networks that follow them slowly."""
import copy

import torch
import torch.nn as nn
import torch.nn.functional as F

from training import arguments, log

STATE, JOINTS, DISCOUNT, FOLLOW = 24, 6, 0.98, 0.01


class Actor(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(STATE, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, JOINTS), nn.Tanh())

    def forward(self, state):
        return self.net(state)


class Critic(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(STATE + JOINTS, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 1)
        )

    def forward(self, state, action):
        return self.net(torch.cat([state, action], 1)).squeeze(1)


class Memory:
    """Transitions of an arm that moved at random; the nearer the point, the better."""

    def __init__(self, count, seed=0):
        rng = torch.Generator().manual_seed(seed)
        self.state = torch.randn(count, STATE, generator=rng)
        self.action = 2 * torch.rand(count, JOINTS, generator=rng) - 1
        self.after = self.state.clone()
        self.after[:, :JOINTS] += 0.2 * self.action
        self.reward = -self.after[:, :JOINTS].square().mean(1)

    def sample(self, count):
        chosen = torch.randint(len(self.reward), (count,))
        return self.state[chosen], self.action[chosen], self.reward[chosen], self.after[chosen]


class Agent:
    def __init__(self, args):
        self.actor, self.critic = Actor(args.actor), Critic(args.critic)
        self.slow_actor, self.slow_critic = (copy.deepcopy(n).requires_grad_(False) for n in (self.actor, self.critic))
        self.critic_steps = torch.optim.Adam(self.critic.parameters(), lr=1e-3, fused=True)
        self.actor_steps = torch.optim.Adam(self.actor.parameters(), lr=3e-4, fused=True)
        self.live = [*self.actor.parameters(), *self.critic.parameters()]
        self.slow = [*self.slow_actor.parameters(), *self.slow_critic.parameters()]

    def learn_values(self, state, action, reward, after):
        with torch.no_grad():
            wanted = reward + DISCOUNT * self.slow_critic(after, self.slow_actor(after))
        loss = F.mse_loss(self.critic(state, action), wanted)
        self.critic_steps.zero_grad()
        loss.backward()
        self.critic_steps.step()
        return loss

    def learn_actions(self, state):
        loss = -self.critic(state, self.actor(state)).mean()
        self.actor_steps.zero_grad()
        loss.backward()
        self.actor_steps.step()

    @torch.no_grad()
    def follow(self):
        torch._foreach_lerp_(self.slow, self.live, FOLLOW)


def main():
    args = arguments(batch=(2048, 8), actor=(256, 8), critic=(320, 8), seen=(100_000, 200))
    torch.manual_seed(0)
    memory, agent = Memory(args.seen), Agent(args)
    for step in range(1, args.steps + 1):
        batch = memory.sample(args.batch)
        loss = agent.learn_values(*batch)
        agent.learn_actions(batch[0])
        agent.follow()
        log(step, loss, args)


if __name__ == "__main__":
    main()
