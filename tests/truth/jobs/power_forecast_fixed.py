"""Forecasts a day of power demand from the fortnight before it: a transformer over patches of the series."""
import torch
import torch.nn as nn
import torch.nn.functional as F

from training import arguments, log

PATCH, AHEAD = 24, 24
RIDGE = 1e-4


class Layer(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norms = nn.ModuleList([nn.LayerNorm(width), nn.LayerNorm(width)])
        self.qkv, self.mix = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.feed = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x):
        q, k, v = self.qkv(self.norms[0](x)).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        x = x + self.mix(F.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2))
        return x + self.feed(self.norms[1](x))


class Forecaster(nn.Module):
    def __init__(self, patches, width, heads, layers):
        super().__init__()
        self.enter = nn.Linear(PATCH, width)
        self.place = nn.Parameter(0.02 * torch.randn(patches, width))
        self.layers = nn.Sequential(*[Layer(width, heads) for _ in range(layers)])
        self.leave = nn.Linear(patches * width, AHEAD)

    def forward(self, past):
        mean, spread = past.mean(1, keepdim=True), past.std(1, keepdim=True) + 1e-3
        x = self.enter(((past - mean) / spread).unflatten(1, (-1, PATCH))) + self.place
        return self.leave(self.layers(x).flatten(1)) * spread + mean


def demand(hours, seed=0):
    rng = torch.Generator().manual_seed(seed)
    t = torch.arange(hours)
    daily, weekly = torch.sin(t * 2 * torch.pi / 24), torch.sin(t * 2 * torch.pi / 168)
    return 3 + daily + 0.5 * weekly + 0.2 * torch.randn(hours, generator=rng)


def main():
    args = arguments(batch=(16, 4), patches=(14, 4), width=(320, 16), heads=(5, 2), layers=(4, 2))
    torch.manual_seed(0)
    model = Forecaster(args.patches, args.width, args.heads, args.layers)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-4, weight_decay=RIDGE, fused=True)
    windows = demand(20_000).unfold(0, args.patches * PATCH + AHEAD, 1)
    for step in range(1, args.steps + 1):
        window = windows[torch.randint(len(windows), (args.batch,))]
        error = F.huber_loss(model(window[:, :-AHEAD]), window[:, -AHEAD:])
        optimizer.zero_grad()
        error.backward()
        optimizer.step()
        log(step, error, args)


if __name__ == "__main__":
    main()
