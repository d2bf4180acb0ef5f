"""Cells under a microscope: what is cell and what is not, by a network that looks coarsely, then finely; checked rarely."""
import torch
import torch.nn as nn
import torch.nn.functional as F

from training import arguments, log

SIDE, CHECK_EVERY = 64, 200


def stage(inputs, outputs):
    return nn.Sequential(nn.Conv2d(inputs, outputs, 3, padding=1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU())


class Segmenter(nn.Module):
    """Logits (batch, 1, SIDE, SIDE) of pictures (batch, 1, SIDE, SIDE)."""

    def __init__(self, width):
        super().__init__()
        self.fine, self.coarse = stage(1, width), nn.Sequential(stage(width, 2 * width), stage(2 * width, 2 * width))
        self.join, self.last = stage(3 * width, width), nn.Conv2d(width, 1, 1)

    def forward(self, pictures):
        fine = self.fine(pictures)
        coarse = F.interpolate(self.coarse(F.max_pool2d(fine, 2)), scale_factor=2.0, mode="nearest")
        return self.last(self.join(torch.cat([fine, coarse], 1)))


def pictures(args, seed):
    """Eight pairs of pictures and where the cells are, (batch, 1, SIDE, SIDE) each."""
    generator = torch.Generator().manual_seed(seed)
    blobs = F.interpolate(torch.randn(8 * args.batch, 1, 8, 8, generator=generator), size=SIDE, mode="bilinear")
    noisy = blobs + 0.2 * torch.randn(blobs.shape, generator=generator)
    return list(zip(noisy.split(args.batch), (blobs > 0).float().split(args.batch)))


def overlap_loss(logits, cells):
    """Cross entropy, and what is missing of the overlap."""
    guess = logits.sigmoid()
    both, each = (guess * cells).sum(), guess.sum() + cells.sum()
    return F.binary_cross_entropy_with_logits(logits, cells) + 1 - 2 * both / each


@torch.no_grad()
def check(model, seen):
    model.eval()
    right = [((model(x) > 0) == (cells > 0)).float().mean().item() for x, cells in seen]
    model.train()
    print(f"right {sum(right) / len(right):.3f}", flush=True)


def main():
    args = arguments(batch=(16, 2), width=(32, 4))
    torch.manual_seed(0)
    model = Segmenter(args.width)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, args.steps)
    train, others = pictures(args, seed=0), pictures(args, seed=1)[:2]
    for step in range(1, args.steps + 1):
        x, cells = train[step % len(train)]
        with torch.autocast("cpu", dtype=torch.bfloat16):
            logits = model(x)
        loss = overlap_loss(logits.float(), cells)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        log(step, loss, args)
        if step % CHECK_EVERY == 0:
            check(model, others)


if __name__ == "__main__":
    main()
