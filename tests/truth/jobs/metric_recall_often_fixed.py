"""Likeness of pictures, learned by triplets; how often the nearest picture is of the same kind is watched."""
import torch
import torch.nn as nn
import torch.nn.functional as F

from training import arguments, log

SIDE, KINDS, CHECK_EVERY = 32, 16, 50


class Embedder(nn.Module):
    """A unit vector for each picture (batch, 1, SIDE, SIDE)."""

    def __init__(self, width):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, width, 3, padding=1), nn.BatchNorm2d(width), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(width, 2 * width, 3, padding=1), nn.BatchNorm2d(2 * width), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(2 * width, 2 * width, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d(2), nn.Flatten())
        self.out = nn.Linear(8 * width, 64)

    def forward(self, pictures):
        return F.normalize(self.out(self.features(pictures)).float(), dim=1)


class Pictures:
    """Pictures of a kind are one pattern under noise."""

    def __init__(self, seed):
        self.patterns = torch.randn(KINDS, 1, SIDE, SIDE, generator=torch.Generator().manual_seed(0))
        self.noise = torch.randn(64, 1, SIDE, SIDE, generator=torch.Generator().manual_seed(seed))
        self.generator = torch.Generator().manual_seed(seed)

    def of(self, kinds):
        which = torch.randint(len(self.noise), kinds.shape, generator=self.generator)
        return self.patterns[kinds] + self.noise[which]

    def triplets(self, count):
        """Pictures, others of the same kinds, and others of other kinds, in one batch."""
        kinds = torch.randint(KINDS, (count,), generator=self.generator)
        apart = torch.randint(1, KINDS, (count,), generator=self.generator)
        return self.of(torch.cat([kinds, kinds, (kinds + apart) % KINDS]))


@torch.no_grad()
def recall_at_1(model, gallery, kinds):
    model.eval()
    vectors = model(gallery)
    nearest = (vectors @ vectors.T).fill_diagonal_(-1).argmax(1)
    model.train()
    return (kinds[nearest] == kinds).float().mean().item()


def main():
    args = arguments(batch=(40, 2), width=(32, 4), gallery=(256, 8))
    torch.manual_seed(0)
    model = Embedder(args.width)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
    pictures = Pictures(seed=1)
    kinds = torch.arange(args.gallery) % KINDS
    gallery = Pictures(seed=2).of(kinds)
    for step in range(1, args.steps + 1):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            vectors = model(pictures.triplets(args.batch))
        loss = F.triplet_margin_loss(*vectors.chunk(3), margin=0.3)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)
        if step % CHECK_EVERY == 0:
            with torch.autocast("cpu", dtype=torch.bfloat16):
                print(f"step {step} recall {recall_at_1(model, gallery, kinds):.3f}", flush=True)


if __name__ == "__main__":
    main()
