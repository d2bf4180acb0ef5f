"""An actor and its critic learn from many games at once."""
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

from training import arguments, log

OBSERVED, ACTIONS, DISCOUNT, SMOOTH = 32, 8, 0.99, 0.95


class ActorCritic(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(OBSERVED, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh())
        self.actor, self.critic = nn.Linear(width, ACTIONS), nn.Linear(width, 1)

    def forward(self, observed):
        x = self.body(observed)
        return self.actor(x).float(), self.critic(x).squeeze(-1).float()


def advantages(rewards, values, ends):
    """(games, length) each: how much better it went than the critic thought, by smoothed differences."""
    rewards, values, ends = rewards.tolist(), values.tolist(), ends.tolist()
    result = []
    for reward, value, end in zip(rewards, values, ends):
        row, following, after = [], 0.0, 0.0
        for t in reversed(range(len(reward))):
            alive = 1.0 - end[t]
            surprise = reward[t] + DISCOUNT * after * alive - value[t]
            following = surprise + DISCOUNT * SMOOTH * alive * following
            after = value[t]
            row.append(following)
        result.append(row[::-1])
    return torch.tensor(np.array(result), dtype=torch.float32)


def games(args):
    """args.steps times what was observed, done and rewarded, and where games ended; (games, length, ...)."""
    generator = torch.Generator().manual_seed(0)
    shape = (4, args.batch, args.length)
    observed = torch.randn(*shape, OBSERVED, generator=generator)
    actions = torch.randint(ACTIONS, shape, generator=generator)
    rewards = observed[..., 0] * (actions == 1) + 0.1 * observed[..., 1]
    ends = (torch.rand(shape, generator=generator) < 0.02).float()
    for step in range(args.steps):
        yield observed[step % 4], actions[step % 4], rewards[step % 4], ends[step % 4]


def main():
    args = arguments(batch=(192, 2), length=(128, 16), width=(256, 16))
    torch.manual_seed(0)
    model = ActorCritic(args.width)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4, fused=True)
    for step, (observed, actions, rewards, ends) in enumerate(games(args), 1):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            logits, values = model(observed)
        gain = advantages(rewards, values.detach(), ends)
        chosen = F.cross_entropy(logits.flatten(0, 1), actions.flatten(), reduction="none").view_as(gain)
        loss = (chosen * gain).mean() + 0.5 * F.mse_loss(values, gain + values.detach())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
