"""A policy learns from returns; the entropy is only shown at the end of an epoch, but its sum keeps what all steps have computed."""
import argparse

import torch
import torch.nn as nn


class Policy(nn.Module):
    def __init__(self, inputs, width, actions):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(inputs, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh())
        self.head = nn.Linear(width, actions)

    def forward(self, x):
        return self.head(self.body(x))


def train_epoch(policy, optimizer, rollouts):
    total_entropy = 0.0
    for states, actions, returns in rollouts:
        log_probabilities = policy(states).log_softmax(1)
        entropy = -(log_probabilities.exp() * log_probabilities).sum(1).mean()
        loss = -(log_probabilities.gather(1, actions.unsqueeze(1)).squeeze(1) * returns).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total_entropy += entropy
    return total_entropy / len(rollouts)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--tiny", action="store_true")
    args = parser.parse_args()
    batch, inputs, width, actions = (4, 8, 16, 4) if args.tiny else (256, 64, 256, 1024)
    torch.manual_seed(0)
    policy = Policy(inputs, width, actions)
    optimizer = torch.optim.AdamW(policy.parameters(), lr=3e-4, fused=True)
    generator = torch.Generator().manual_seed(1)
    rollouts = []
    for _ in range(32):
        states = torch.randn(batch, inputs, generator=generator)
        chosen = torch.randint(0, actions, (batch,), generator=generator)
        rollouts.append((states, chosen, torch.cos(chosen + states[:, 0])))
    for epoch in range(-(-args.steps // 32)):
        entropy = train_epoch(policy, optimizer, rollouts[: args.steps - epoch * 32])
        print(f"epoch {epoch} entropy {entropy.item():.6f}", flush=True)


if __name__ == "__main__":
    main()
