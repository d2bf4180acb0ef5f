"""Finds cars and people in pictures of a crossing: a guess for each cell of a grid, and boxes that overlap are weeded out."""
import torch
import torch.nn as nn
import torch.nn.functional as F

from training import arguments, log

KINDS, CELL, KEPT, OVERLAP = 4, 8, 6, 0.5


def overlap(a, b):
    """Intersection over union (n, m) of boxes (n, 4) and (m, 4)."""
    low, high = torch.maximum(a[:, None, :2], b[None, :, :2]), torch.minimum(a[:, None, 2:], b[None, :, 2:])
    both = (high - low).clamp(min=0).prod(2)
    area_a, area_b = (a[:, 2:] - a[:, :2]).prod(1), (b[:, 2:] - b[:, :2]).prod(1)
    return both / (area_a[:, None] + area_b - both + 1e-6)


def weeded(box, score):
    """Indices of boxes, best first, none of which overlaps a better one by much."""
    order, kept = score.argsort(descending=True), []
    while len(order):
        kept.append(order[0])
        order = order[1:][overlap(box[order[:1]], box[order[1:]])[0] < OVERLAP]
    return torch.stack(kept)


class Detector(nn.Module):
    def __init__(self, width, side):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(3, width, 3, 2, 1),
            nn.ReLU(),
            nn.Conv2d(width, 2 * width, 3, 2, 1),
            nn.BatchNorm2d(2 * width),
            nn.ReLU(),
            nn.Conv2d(2 * width, 4 * width, 3, 2, 1),
            nn.BatchNorm2d(4 * width),
            nn.ReLU(),
            nn.Conv2d(4 * width, 4 * width, 3, 1, 1),
            nn.ReLU(),
            nn.Conv2d(4 * width, 1 + 4 + KINDS, 1),
        )
        at = torch.arange(side // CELL) * CELL + CELL / 2
        self.register_buffer("centre", torch.stack([at.repeat(len(at)), at.repeat_interleave(len(at))], 1))

    @torch.no_grad()
    def boxes(self, cells):
        """Of each picture the boxes that are left, with score and kind."""
        found = []
        for picture in cells:
            score, which = picture[:, 0].sigmoid().topk(min(KEPT, len(picture)))
            extent = picture[which, 1:5].exp() * CELL
            box = torch.cat([self.centre[which] - extent[:, :2], self.centre[which] + extent[:, 2:]], 1)
            left = weeded(box, score)
            found.append((box[left], score[left], picture[which[left], 5:].argmax(1)))
        return found

    def forward(self, picture):
        cells = self.body(picture).flatten(2).transpose(1, 2)
        return cells, self.boxes(cells)


def loss_of(cells, full, extent, kind):
    there = full > 0
    return (
        F.binary_cross_entropy_with_logits(cells[..., 0], full)
        + F.smooth_l1_loss(cells[..., 1:5][there], extent[there])
        + F.cross_entropy(cells[..., 5:][there], kind[there])
    )


def crossings(count, side, seed=0):
    rng = torch.Generator().manual_seed(seed)
    grid = side // CELL
    full = (torch.rand(count, grid * grid, generator=rng) < 0.08).float()
    full[:, 0] = 1
    kind = torch.randint(KINDS, full.shape, generator=rng)
    paint = (full * (1 + kind)).view(count, 1, grid, grid).repeat_interleave(CELL, 2).repeat_interleave(CELL, 3)
    return paint + torch.randn(count, 3, side, side, generator=rng), full, 0.3 * torch.randn(*full.shape, 4, generator=rng), kind


def main():
    args = arguments(batch=(6, 2), side=(128, 24), width=(28, 4))
    torch.manual_seed(0)
    model = Detector(args.width, args.side)
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-4, fused=True)
    picture, *wanted = crossings(30 * args.batch, args.side)
    for step in range(1, args.steps + 1):
        chosen = torch.randint(len(picture), (args.batch,))
        cells, found = model(picture[chosen])
        loss = loss_of(cells, *(column[chosen] for column in wanted))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
