"""Foresees when a wind turbine fails, from many sensors: convolutions over time, with a logger for what goes on inside."""
import logging

import torch
import torch.nn as nn
import torch.nn.functional as F

from training import arguments, log

logger = logging.getLogger("turbine")


class Block(nn.Module):
    def __init__(self, width, reach):
        super().__init__()
        self.conv = nn.Conv1d(width, width, 3, padding=reach, dilation=reach)
        self.norm, self.mix = nn.GroupNorm(4, width), nn.Conv1d(width, width, 1)

    def forward(self, x):
        h = self.mix(F.gelu(self.norm(self.conv(x))))
        return x + h


class Turbine(nn.Module):
    def __init__(self, sensors, width, layers):
        super().__init__()
        self.enter = nn.Conv1d(sensors, width, 1)
        self.blocks = nn.Sequential(*[Block(width, 2**i) for i in range(layers)])
        self.leave = nn.Linear(width, 1)

    def forward(self, signal):
        entered = self.enter(signal)
        x = self.blocks(entered)
        hours = self.leave(x.mean(2)).squeeze(1)
        logger.debug(f"entered {entered}, features {x}, hours left {hours}")
        return hours


def signals(count, sensors, length, seed=0):
    rng = torch.Generator().manual_seed(seed)
    worn = torch.rand(count, generator=rng)
    hum = torch.sin(torch.arange(length) * (0.2 + worn[:, None, None]) + torch.rand(count, sensors, 1, generator=rng))
    return hum + 0.5 * torch.randn(count, sensors, length, generator=rng), 1 - worn


def main():
    args = arguments(batch=(13, 2), sensors=(20, 4), length=(192, 16), width=(96, 8), layers=(4, 2))
    logging.basicConfig(level=logging.INFO)
    torch.manual_seed(0)
    model = Turbine(args.sensors, args.width, args.layers)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
    signal, hours = signals(40 * args.batch, args.sensors, args.length)
    for step in range(1, args.steps + 1):
        chosen = torch.randint(len(hours), (args.batch,))
        loss = F.smooth_l1_loss(model(signal[chosen]), hours[chosen])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
