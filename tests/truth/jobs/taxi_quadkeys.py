"""How long a taxi takes: where a trip begins and ends as tiles of a map, each of which has a vector, and when it is."""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F

from training import arguments, log

ZOOM, SOUTH, WEST = 15, 40.60, -74.05  # the map ends there; tiles are numbered in the whole world


def quadkey(latitude, longitude):
    """The tile's name as maps on the web have it: a digit from 0 to 3 for each zoom."""
    x = int((longitude + 180) / 360 * 2**ZOOM)
    y = int((1 - math.asinh(math.tan(math.radians(latitude))) / math.pi) / 2 * 2**ZOOM)
    digits = []
    for bit in reversed(range(ZOOM)):
        digits.append(str((x >> bit & 1) + 2 * (y >> bit & 1)))
    return "".join(digits)


class Trips:
    """Trips as the meters wrote them: (latitude, longitude) of both ends, the hour, and how long it took."""

    def __init__(self, count):
        generator = torch.Generator().manual_seed(0)
        self.ends = torch.rand(count, 2, 2, generator=generator, dtype=torch.float64) * 0.25 + torch.tensor([SOUTH, WEST]).double()
        self.hour = torch.randint(24, (count,), generator=generator)
        far = (self.ends[:, 0] - self.ends[:, 1]).norm(dim=1).float()
        self.took = 100 * far * (1 + 0.3 * (self.hour - 12).abs() / 12)

    def part(self, rows):
        return self.ends[rows], self.hour[rows], self.took[rows]


def tiles_of(ends, rows):
    """A row of the table for each end (batch, 2); far tiles may share one."""
    return torch.tensor([[int(quadkey(*end), 4) % rows for end in trip] for trip in ends.tolist()])


class Duration(nn.Module):
    def __init__(self, args):
        super().__init__()
        self.tiles = nn.EmbeddingBag(args.rows, args.width, mode="sum", sparse=True)
        self.hours = nn.Embedding(24, args.width)
        self.net = nn.Sequential(
            nn.Linear(2 * args.width, args.hidden), nn.SiLU(), nn.Linear(args.hidden, args.hidden), nn.SiLU(),
            nn.Linear(args.hidden, 1))

    def forward(self, tiles, hour):
        return self.net(torch.cat([self.tiles(tiles), self.hours(hour)], 1)).squeeze(1)


def main():
    args = arguments(batch=(1280, 4), rows=(20_000, 50), width=(64, 4), hidden=(1792, 8))
    torch.manual_seed(0)
    model = Duration(args)
    dense = [p for name, p in model.named_parameters() if name != "tiles.weight"]
    optimizers = [torch.optim.AdamW(dense, lr=1e-3, fused=True), torch.optim.SGD([model.tiles.weight], lr=0.1)]
    trips = Trips(6 * args.batch)
    for step in range(1, args.steps + 1):
        ends, hour, took = trips.part(slice(step % 6 * args.batch, (step % 6 + 1) * args.batch))
        tiles = tiles_of(ends, args.rows)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            guess = model(tiles, hour)
        loss = F.smooth_l1_loss(guess.float(), took)
        model.zero_grad()
        loss.backward()
        for optimizer in optimizers:
            optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
