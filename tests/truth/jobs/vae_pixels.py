"""A VAE of small pictures whose decoder says for every pixel how likely each grey level is."""
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.distributions import Categorical

from training import arguments, log

SIDE = 32


class VAE(nn.Module):
    def __init__(self, width, latent, levels):
        super().__init__()
        self.levels = levels
        self.encoder = nn.Sequential(
            nn.Conv2d(1, width, 4, 2, 1),
            nn.SiLU(),
            nn.Conv2d(width, 2 * width, 4, 2, 1),
            nn.SiLU(),
            nn.Conv2d(2 * width, 2 * width, 4, 2, 1),
            nn.SiLU(),
            nn.Flatten(),
            nn.Linear(2 * width * 16, 2 * latent),
        )
        self.decoder = nn.Sequential(
            nn.Linear(latent, 2 * width * 16),
            nn.Unflatten(1, (2 * width, 4, 4)),
            nn.ConvTranspose2d(2 * width, 2 * width, 4, 2, 1),
            nn.SiLU(),
            nn.ConvTranspose2d(2 * width, width, 4, 2, 1),
            nn.SiLU(),
            nn.ConvTranspose2d(width, levels, 4, 2, 1),
        )

    def forward(self, grey):
        mean, spread = self.encoder(grey[:, None] * (2 / self.levels) - 1).chunk(2, 1)
        latent = mean + torch.randn_like(mean) * (0.5 * spread).exp()
        kl = 0.5 * (mean.square() + spread.exp() - 1 - spread).sum(1)
        return self.decoder(latent), kl


def reconstruction(logits, grey):
    """Nats per picture (batch,)."""
    pixels = Categorical(logits=logits.permute(0, 2, 3, 1))
    return -pixels.log_prob(grey).sum((1, 2))


def waves(count, levels, seed=0):
    rng = torch.Generator().manual_seed(seed)
    grid = torch.linspace(-3, 3, SIDE)
    a, b, c = torch.randn(3, count, 1, 1, generator=rng)
    value = torch.sin(a * grid[:, None] + b * grid + c)
    return ((value + 1) * (levels / 2)).long().clamp(0, levels - 1)


def main():
    args = arguments(batch=(32, 2), width=(48, 4), latent=(32, 4), levels=(64, 8))
    torch.manual_seed(0)
    model = VAE(args.width, args.latent, args.levels)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
    data = waves(1024, args.levels)
    for step in range(1, args.steps + 1):
        grey = data[torch.randint(len(data), (args.batch,))]
        logits, kl = model(grey)
        loss = (reconstruction(logits, grey) + min(1.0, step / 500) * kl).mean() / SIDE**2
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
