"""Textures as codes: an autoencoder whose cells are each replaced by the nearest vector of a codebook."""
import torch
import torch.nn as nn
import torch.nn.functional as F

from training import arguments, log


class Codebook(nn.Module):
    def __init__(self, codes, width):
        super().__init__()
        self.codes = nn.Parameter(torch.randn(codes, width))

    def nearest(self, cells):
        """Index (n,) of the code nearest to each of cells (n, width)."""
        with torch.no_grad():
            distance = torch.addmm(self.codes.square().sum(1), cells, self.codes.T, alpha=-2)
            return distance.argmin(1)

    def forward(self, x):
        cells = x.movedim(1, -1)
        chosen = F.embedding(self.nearest(cells.flatten(0, -2)), self.codes).view_as(cells)
        loss = F.mse_loss(chosen, cells.detach()) + 0.25 * F.mse_loss(cells, chosen.detach())
        return (cells + (chosen - cells).detach()).movedim(-1, 1), loss


class Textures(nn.Module):
    def __init__(self, width, depth, codes):
        super().__init__()
        self.encoder = nn.Sequential(
            nn.Conv2d(3, width, 4, 2, 1), nn.ReLU(), nn.Conv2d(width, 2 * width, 4, 2, 1), nn.ReLU(), nn.Conv2d(2 * width, depth, 3, 1, 1)
        )
        self.book = Codebook(codes, depth)
        self.decoder = nn.Sequential(
            nn.Conv2d(depth, 2 * width, 3, 1, 1),
            nn.ReLU(),
            nn.ConvTranspose2d(2 * width, width, 4, 2, 1),
            nn.ReLU(),
            nn.ConvTranspose2d(width, 3, 4, 2, 1),
        )

    def forward(self, image):
        x, loss = self.book(self.encoder(image))
        return self.decoder(x), loss


def textures(count, side, seed=0):
    rng = torch.Generator().manual_seed(seed)
    a, b, c = torch.randn(3, count, 3, 1, 1, generator=rng)
    grid = torch.linspace(-4, 4, side)
    return torch.sin(a * grid[:, None] + c) * torch.cos(b * grid) + 0.1 * torch.randn(count, 3, side, side, generator=rng)


def main():
    args = arguments(batch=(10, 2), side=(64, 16), width=(64, 4), depth=(16, 4), codes=(128, 10))
    torch.manual_seed(0)
    model = Textures(args.width, args.depth, args.codes)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
    images = textures(20 * args.batch, args.side)
    for step in range(1, args.steps + 1):
        image = images[torch.randint(len(images), (args.batch,))]
        again, far = model(image)
        loss = F.mse_loss(again, image) + far
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
