"""Speed of traffic an hour ahead at the crossings of a town: graph convolutions over the roads between them."""
import torch
import torch.nn as nn
import torch.nn.functional as F

from training import arguments, log

PAST, AHEAD = 12, 3


class Crossing(nn.Module):
    """Each crossing takes in the mean of those that a road leads to."""

    def __init__(self, width):
        super().__init__()
        self.norm, self.own, self.around = nn.LayerNorm(width), nn.Linear(width, width), nn.Linear(width, width, bias=False)

    def forward(self, x, roads):
        h = self.norm(x)
        near = (roads @ h.flatten(1)).view_as(h)
        return x + F.gelu(self.own(h) + self.around(near))


class Town(nn.Module):
    def __init__(self, width, layers):
        super().__init__()
        self.enter = nn.Linear(PAST, width)
        self.layers = nn.ModuleList(Crossing(width) for _ in range(layers))
        self.leave = nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, AHEAD))

    def forward(self, past, roads):
        """Speeds (crossings, batch, ahead) of speeds (crossings, batch, past)."""
        x = self.enter(past)
        for layer in self.layers:
            x = layer(x, roads)
        return self.leave(x)


def town(crossings, seed=0):
    """Mean over the neighbours as a matrix; roads go both ways."""
    rng = torch.Generator().manual_seed(seed)
    place = torch.rand(crossings, 2, generator=rng)
    near = torch.cdist(place, place).topk(5, largest=False).indices
    roads = torch.zeros(crossings, crossings).scatter_(1, near, 1.0)
    roads = torch.maximum(roads, roads.T)
    return roads / roads.sum(1, keepdim=True)


def main():
    args = arguments(batch=(9, 2), crossings=(360, 20), width=(96, 8), layers=(4, 2), hours=(600, 60))
    torch.manual_seed(0)
    roads = town(args.crossings)
    speed = torch.randn(args.crossings, args.hours).cumsum(1) * 0.1
    speed = roads @ roads @ speed
    roads = roads.to_sparse_csr()
    model = Town(args.width, args.layers)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
    for step in range(1, args.steps + 1):
        start = torch.randint(args.hours - PAST - AHEAD, (args.batch, 1))
        window = speed[:, start + torch.arange(PAST + AHEAD)]
        loss = F.l1_loss(model(window[..., :PAST], roads), window[..., PAST:])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
