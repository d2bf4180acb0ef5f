"""Three bodies that pull each other: where they go next, by a network that remembers where they were."""
import torch
import torch.nn as nn
import torch.nn.functional as F

from training import arguments, log

STATE = 12  # two places and two speeds a body
ALPHA, SCALE = 1.6732632423543772, 1.0507009873554805  # with these a layer keeps mean and spread by itself


class SelfNormalizing(nn.Module):
    def forward(self, x):
        low = ALPHA * (torch.exp(torch.clamp(x, max=0.0)) - 1)
        return SCALE * (torch.clamp(x, min=0.0) + low)


class Bodies(nn.Module):
    """How the states (batch, length, STATE) change until the next moment."""

    def __init__(self, width):
        super().__init__()
        self.memory = nn.GRU(STATE, width, batch_first=True)
        self.change = nn.Sequential(nn.Linear(width, 2 * width), SelfNormalizing(), nn.Linear(2 * width, STATE))

    def forward(self, states):
        remembered, _ = self.memory(states)
        return self.change(remembered)


def pull(state):
    """How fast the state (n, STATE) changes: speeds, and what bodies at (n, 3, 2) do to each other."""
    places, speeds = state.view(-1, 2, 3, 2).unbind(1)
    apart = places[:, None] - places[:, :, None]
    near = apart.square().sum(-1, keepdim=True).add(0.1).pow(-1.5)
    return torch.stack([speeds, (apart * near).sum(2)], 1).flatten(1)


def tracks(args):
    """(n, length + 1, STATE) by a slow solver."""
    state = torch.randn(4 * args.batch, STATE, generator=torch.Generator().manual_seed(0))
    moments = [state]
    for _ in range(args.length):
        for _ in range(4):
            state = state + 0.01 * pull(state)
        moments.append(state)
    return torch.stack(moments, 1)


def main():
    args = arguments(batch=(64, 3), length=(64, 6), width=(160, 8))
    torch.manual_seed(0)
    model = Bodies(args.width)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
    pool = tracks(args).split(args.batch)
    for step in range(1, args.steps + 1):
        track = pool[step % len(pool)]
        loss = F.mse_loss(model(track[:, :-1]), track[:, 1:] - track[:, :-1])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
