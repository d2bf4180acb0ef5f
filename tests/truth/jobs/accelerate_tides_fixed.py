"""Forecasts tides at many gauges with Accelerate; if a loss is not a number, training goes back to a state that was good."""
import copy

import torch
import torch.nn as nn
import torch.nn.functional as F
from accelerate import Accelerator
from accelerate.utils import set_seed

from training import arguments, log

PAST, AHEAD = 72, 24
KEEP_EVERY = 50


class Tides(nn.Module):
    def __init__(self, gauges, width, layers):
        super().__init__()
        self.gauge, self.enter = nn.Embedding(gauges, width), nn.Linear(PAST, width)
        self.blocks = nn.ModuleList(
            nn.Sequential(nn.LayerNorm(width), nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width)) for _ in range(layers)
        )
        self.leave = nn.Linear(width, AHEAD)

    def forward(self, past, gauge):
        x = self.enter(past) + self.gauge(gauge)
        for block in self.blocks:
            x = x + block(x)
        return self.leave(x)


def tides(count, gauges, seed=0):
    rng = torch.Generator().manual_seed(seed)
    gauge = torch.randint(gauges, (count,), generator=rng)
    height, late = torch.rand(2, gauges, 1, generator=rng)
    hour = torch.arange(PAST + AHEAD) + 700 * torch.rand(count, 1, generator=rng)
    level = height[gauge] * torch.sin(0.506 * hour + 6 * late[gauge]) + 0.4 * torch.sin(0.263 * hour)
    return level + 0.05 * torch.randn(level.shape, generator=rng), gauge


def main():
    args = arguments(batch=(512, 8), gauges=(200, 10), width=(256, 16), layers=(4, 2))
    accelerator = Accelerator(cpu=True)
    set_seed(0)
    model = Tides(args.gauges, args.width, args.layers)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
    model, optimizer = accelerator.prepare(model, optimizer)
    level, gauge = tides(60 * args.batch, args.gauges)
    good = None
    for step in range(1, args.steps + 1):
        chosen = torch.randint(len(level), (args.batch,))
        past, ahead = level[chosen].split([PAST, AHEAD], 1)
        loss = F.mse_loss(model(past, gauge[chosen]), ahead)
        if good is not None and not torch.isfinite(loss):
            model.load_state_dict(good[0])
            optimizer.load_state_dict(good[1])
            continue
        optimizer.zero_grad()
        accelerator.backward(loss)
        accelerator.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        if step % KEEP_EVERY == 0:
            good = copy.deepcopy(model.state_dict()), copy.deepcopy(optimizer.state_dict())
        log(step, loss, args)


if __name__ == "__main__":
    main()
