"""Where cars go next, by scenes of a street: each scene is an object with its cars, each car with its past."""
import dataclasses
import random

import torch
import torch.nn as nn
import torch.nn.functional as F

from training import arguments, log

CARS, PAST = 12, 8


@dataclasses.dataclass
class Car:
    kind: str
    places: list  # (x, y) at each moment, the last is the one to guess


@dataclasses.dataclass
class Scene:
    cars: list


def drive(rng):
    x, y, dx, dy = (rng.uniform(-1, 1) for _ in range(4))
    return Car(rng.choice(["car", "truck"]), [(x + t * dx, y + t * dy) for t in range(PAST + 1)])


class Street:
    """All scenes; batches of them as tensors."""

    def __init__(self, args):
        rng = random.Random(0)
        self.scenes = [Scene([drive(rng) for _ in range(CARS)]) for _ in range(args.scenes)]
        self.places = torch.tensor([[car.places for car in scene.cars] for scene in self.scenes])

    def batch(self, step, size):
        rows = torch.arange(step * size, (step + 1) * size) % len(self.scenes)
        places = self.places[rows]
        return places[:, :, :-1].flatten(2), places[:, :, -1]


class Forecast(nn.Module):
    """Places (batch, CARS, 2) by the past of all cars (batch, CARS, 2 * PAST)."""

    def __init__(self, width, layers):
        super().__init__()
        self.first, self.last = nn.Linear(2 * PAST, width), nn.Linear(width, 2)
        self.layers = nn.ModuleList(nn.Linear(2 * width, width) for _ in range(layers))

    def forward(self, past):
        x = F.relu(self.first(past))
        for layer in self.layers:
            others = x.mean(1, keepdim=True).expand_as(x)
            x = x + F.relu(layer(torch.cat([x, others], -1)))
        return self.last(x)


def main():
    args = arguments(batch=(256, 3), scenes=(4000, 30), width=(320, 8), layers=(4, 2))
    torch.manual_seed(0)
    street = Street(args)
    model = Forecast(args.width, args.layers)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
    for step in range(1, args.steps + 1):
        past, there = street.batch(step, args.batch)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            guess = model(past)
        loss = F.smooth_l1_loss(guess.float(), there)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
