"""A radiance field of a vase: density and colour at points along rays, added up to the colour that a ray brings."""
import torch
import torch.nn as nn
import torch.nn.functional as F

from training import arguments, log


def waves(x, octaves):
    """Sines and cosines (..., 6 * octaves) of places or directions (..., 3)."""
    angle = (x[..., None] * 2.0 ** torch.arange(octaves)).flatten(-2)
    return torch.cat([angle.sin(), angle.cos()], -1)


class Field(nn.Module):
    def __init__(self, width, looks):
        super().__init__()
        self.place = nn.Sequential(
            nn.Linear(36, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, width + 1)
        )
        self.look = nn.Sequential(nn.Linear(24, looks), nn.ReLU(), nn.Linear(looks, looks), nn.ReLU())
        self.colour = nn.Sequential(nn.Linear(width + looks, width // 2), nn.ReLU(), nn.Linear(width // 2, 3), nn.Sigmoid())

    def forward(self, places, directions):
        """Density (rays, points) and colour (rays, points, 3) at places (rays, points, 3) seen along directions (rays, 3)."""
        h = self.place(waves(places, 6))
        directions = directions[:, None].expand_as(places)
        look = self.look(waves(directions, 4))
        return F.softplus(h[..., 0]), self.colour(torch.cat([h[..., 1:], look], -1))


def render(field, origins, directions, depths):
    places = origins[:, None] + depths[..., None] * directions[:, None]
    density, colour = field(places, directions)
    gap = torch.diff(depths, append=depths[:, -1:] + 0.1)
    opacity = 1 - torch.exp(-density * gap)
    passed = torch.cumprod(torch.cat([torch.ones_like(opacity[:, :1]), 1 - opacity[:, :-1] + 1e-6], 1), 1)
    return ((opacity * passed)[..., None] * colour).sum(1)


def rays(count, seed=0):
    """Rays towards a ball with stripes."""
    rng = torch.Generator().manual_seed(seed)
    origin = F.normalize(torch.randn(count, 3, generator=rng), dim=1) * 2
    target = 0.6 * torch.randn(count, 3, generator=rng)
    direction = F.normalize(target - origin, dim=1)
    along = -(origin * direction).sum(1, keepdim=True)
    nearest = origin + along * direction
    colour = 0.5 + 0.5 * torch.sin(6 * nearest) * (nearest.norm(dim=1, keepdim=True) < 0.8)
    return origin, direction, colour


def main():
    args = arguments(batch=(192, 4), points=(32, 6), width=(128, 8), looks=(96, 4), rays=(20_000, 40))
    torch.manual_seed(0)
    origin, direction, colour = rays(args.rays)
    field = Field(args.width, args.looks)
    optimizer = torch.optim.Adam(field.parameters(), lr=5e-4, fused=True)
    bins = torch.linspace(1, 3, args.points + 1)[:-1]
    for step in range(1, args.steps + 1):
        chosen = torch.randint(args.rays, (args.batch,))
        depths = bins + torch.rand(args.batch, args.points) * 2 / args.points
        loss = F.mse_loss(render(field, origin[chosen], direction[chosen], depths), colour[chosen])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
