"""Sounds of drums that nobody played: one network makes them out of noise, another tells them from real ones; both in each step."""
import torch
import torch.nn as nn
import torch.nn.functional as F

from training import arguments, log


def maker(noise, width, samples):
    """Sounds (batch, samples) of noise (batch, noise)."""
    return nn.Sequential(
        nn.Linear(noise, width), nn.LayerNorm(width), nn.ReLU(), nn.Linear(width, width), nn.LayerNorm(width), nn.ReLU(),
        nn.Linear(width, samples), nn.Tanh())


def critic(width, samples):
    """How real sounds are (batch, 1)."""
    return nn.Sequential(
        nn.Linear(samples, width), nn.LeakyReLU(0.2), nn.Linear(width, width), nn.LeakyReLU(0.2), nn.Linear(width, 1))


def drums(args):
    """Eight batches (batch, samples): a beat that dies away."""
    generator = torch.Generator().manual_seed(4)
    pitch, fade = torch.rand(2, 8, args.batch, 1, generator=generator)
    time = torch.arange(args.samples)
    return ((0.05 + 0.3 * pitch) * time).sin() * (-(0.002 + 0.01 * fade) * time).exp()


class Duel:
    def __init__(self, args):
        self.maker, self.noise = maker(args.noise, args.width, args.samples), args.noise
        self.critic = critic(args.width, args.samples)
        self.maker_steps = torch.optim.Adam(self.maker.parameters(), lr=2e-4, betas=(0.5, 0.9), fused=True)
        self.critic_steps = torch.optim.Adam(self.critic.parameters(), lr=2e-4, betas=(0.5, 0.9), fused=True)

    def sharpen(self, real, made):
        """The critic learns; its loss."""
        with torch.autocast("cpu", dtype=torch.bfloat16):
            verdict = self.critic(torch.cat([real, made.detach()])).float()
        loss = F.relu(1 - verdict[: len(real)]).mean() + F.relu(1 + verdict[len(real) :]).mean()
        self.critic_steps.zero_grad()
        loss.backward()
        self.critic_steps.step()
        return loss

    def step(self, real):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            made = self.maker(torch.randn(len(real), self.noise)).float()
        loss = self.sharpen(real, made)
        self.critic.requires_grad_(False)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            deceived = -self.critic(made).float().mean()
        self.maker_steps.zero_grad()
        deceived.backward()
        self.maker_steps.step()
        self.critic.requires_grad_(True)
        return loss


def main():
    args = arguments(batch=(1536, 4), noise=(64, 4), width=(768, 8), samples=(512, 16))
    torch.manual_seed(0)
    duel, sounds = Duel(args), drums(args)
    for step in range(1, args.steps + 1):
        log(step, duel.step(sounds[step % 8]), args)


if __name__ == "__main__":
    main()
