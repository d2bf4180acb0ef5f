"""A field of colours: one network paints several pictures, asked for the colour at each place."""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F

from training import arguments, log


def encode_places(side, octaves):
    """(side * side, 4 * octaves): waves of each octave along both axes."""
    axis = torch.linspace(-1, 1, side)
    y, x = torch.meshgrid(axis, axis, indexing="ij")
    places = torch.stack([x, y], -1).reshape(-1, 2)
    angles = places[:, :, None] * math.pi * 2.0 ** (torch.arange(octaves) / 2)
    return torch.cat([angles.sin(), angles.cos()], 1).flatten(1)


class Field(nn.Module):
    """Colours (batch, side * side, 3) of pictures (batch,), each of which has a code."""

    def __init__(self, args):
        super().__init__()
        self.register_buffer("places", encode_places(args.side, args.octaves), persistent=False)
        self.codes = nn.Embedding(args.pictures, args.width)
        self.first = nn.Linear(4 * args.octaves, args.width)
        self.rest = nn.Sequential(
            nn.ReLU(), nn.Linear(args.width, args.width), nn.ReLU(), nn.Linear(args.width, args.width), nn.ReLU(),
            nn.Linear(args.width, 3))

    def forward(self, pictures):
        return self.rest(self.first(self.places) + self.codes(pictures).unsqueeze(1))


def paint(args):
    """Pictures (pictures, side * side, 3) of soft stripes."""
    generator = torch.Generator().manual_seed(0)
    waves = 8 * torch.randn(args.pictures, 2, 3, generator=generator)
    axis = torch.linspace(-1, 1, args.side)
    places = torch.cartesian_prod(axis, axis)
    return 0.5 + 0.5 * (places @ waves).sin()


def main():
    args = arguments(batch=(2, 2), side=(128, 8), octaves=(16, 4), width=(192, 16), pictures=(8, 2))
    torch.manual_seed(0)
    model = Field(args)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, fused=True)
    pictures = paint(args)
    for step in range(1, args.steps + 1):
        which = (torch.arange(args.batch) + step) % args.pictures
        with torch.autocast("cpu", dtype=torch.bfloat16):
            colours = model(which)
        loss = F.mse_loss(colours.float(), pictures[which])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
