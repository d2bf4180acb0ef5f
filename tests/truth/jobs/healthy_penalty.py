"""Makes faults in steel that look real: a Wasserstein critic whose slope is held near one, and a maker."""
import torch
import torch.nn as nn

from training import arguments, log

STEEP = 10.0


def maker(noise, width, pixels):
    return nn.Sequential(nn.Linear(noise, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, pixels), nn.Tanh())


def critic(width, pixels):
    return nn.Sequential(nn.Linear(pixels, width), nn.SiLU(), nn.Linear(width, width), nn.SiLU(), nn.Linear(width, 1))


def penalty(critic, real, made):
    """How far the critic's slope is from one between real and made."""
    between = torch.lerp(real, made, torch.rand(len(real), 1)).requires_grad_()
    (slope,) = torch.autograd.grad(critic(between).sum(), between, create_graph=True)
    return (slope.norm(dim=1) - 1).square().mean()


def faults(count, side, seed=0):
    rng = torch.Generator().manual_seed(seed)
    turn, shift = torch.rand(2, count, 1, 1, generator=rng)
    grid = torch.linspace(-1, 1, side)
    scratch = grid[:, None] * (3 * turn).cos() + grid * (3 * turn).sin() + shift - 0.5
    return (2 * torch.exp(-30 * scratch.square()) - 1).flatten(1)


def main():
    args = arguments(batch=(320, 4), side=(24, 6), noise=(48, 4), width=(448, 8))
    torch.manual_seed(0)
    pixels = args.side**2
    make, judge = maker(args.noise, args.width, pixels), critic(args.width, pixels)
    judge_steps = torch.optim.Adam(judge.parameters(), lr=1e-4, betas=(0.0, 0.9), fused=True)
    make_steps = torch.optim.Adam(make.parameters(), lr=1e-4, betas=(0.0, 0.9), fused=True)
    steel = faults(30 * args.batch, args.side)
    for step in range(1, args.steps + 1):
        real = steel[torch.randint(len(steel), (args.batch,))]
        with torch.no_grad():
            made = make(torch.randn(args.batch, args.noise))
        loss = judge(made).mean() - judge(real).mean() + STEEP * penalty(judge, real, made)
        judge_steps.zero_grad()
        loss.backward()
        judge_steps.step()
        judge.requires_grad_(False)
        make_steps.zero_grad()
        (-judge(make(torch.randn(args.batch, args.noise))).mean()).backward()
        make_steps.step()
        judge.requires_grad_(True)
        log(step, loss, args)


if __name__ == "__main__":
    main()
