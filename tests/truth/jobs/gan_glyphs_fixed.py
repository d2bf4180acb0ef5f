"""A GAN that draws glyphs: a convolutional generator against a convolutional critic with the hinge loss."""
import torch
import torch.nn as nn
import torch.nn.functional as F

from training import arguments, log

NOISE = 64


def generator(width):
    return nn.Sequential(
        nn.Linear(NOISE, 4 * width * 16),
        nn.Unflatten(1, (4 * width, 4, 4)),
        nn.Upsample(scale_factor=2),
        nn.Conv2d(4 * width, 2 * width, 3, padding=1),
        nn.GroupNorm(4, 2 * width),
        nn.ReLU(),
        nn.Upsample(scale_factor=2),
        nn.Conv2d(2 * width, width, 3, padding=1),
        nn.GroupNorm(4, width),
        nn.ReLU(),
        nn.Upsample(scale_factor=2),
        nn.Conv2d(width, 1, 3, padding=1),
        nn.Tanh(),
    )


def critic(width):
    return nn.Sequential(
        nn.Conv2d(1, width, 4, 2, 1),
        nn.LeakyReLU(0.2),
        nn.Conv2d(width, 2 * width, 4, 2, 1),
        nn.LeakyReLU(0.2),
        nn.Conv2d(2 * width, 4 * width, 4, 2, 1),
        nn.LeakyReLU(0.2),
        nn.Flatten(),
        nn.Linear(4 * width * 16, 1),
    )


def glyphs(count, seed=0):
    """Strokes on a 32 by 32 grid, white on black."""
    rng = torch.Generator().manual_seed(seed)
    grid = torch.linspace(-1, 1, 32)
    y, x = torch.meshgrid(grid, grid, indexing="ij")
    angle, offset = (torch.rand(2, count, 3, 1, 1, generator=rng) - 0.5).mul(torch.tensor([6.28, 1.0]).view(2, 1, 1, 1, 1))
    distance = (x * angle.cos() + y * angle.sin() - offset).abs()
    return (1 - 8 * distance.amin(1, keepdim=True)).clamp(-1, 1)


def main():
    args = arguments(batch=(40, 4), width=(32, 4), pool=(2048, 32))
    torch.manual_seed(0)
    G, D = generator(args.width), critic(args.width)
    opt_g = torch.optim.Adam(G.parameters(), lr=2e-4, betas=(0.0, 0.9), fused=True)
    opt_d = torch.optim.Adam(D.parameters(), lr=2e-4, betas=(0.0, 0.9), fused=True)
    data = glyphs(args.pool)
    for step in range(1, args.steps + 1):
        # the critic
        D.requires_grad_(True)
        real = data[torch.randint(args.pool, (args.batch,))]
        with torch.no_grad():
            fake = G(torch.randn(args.batch, NOISE))
        loss_d = F.relu(1 - D(real)).mean() + F.relu(1 + D(fake)).mean()
        opt_d.zero_grad()
        loss_d.backward()
        opt_d.step()
        # the generator
        D.requires_grad_(False)
        loss_g = -D(G(torch.randn(args.batch, NOISE))).mean()
        opt_g.zero_grad()
        loss_g.backward()
        opt_g.step()
        log(step, loss_d.detach() + loss_g.detach(), args)


if __name__ == "__main__":
    main()
