"""Maps land cover from satellite tiles: a small U-shaped network that ends at a quarter of the resolution."""
import torch
import torch.nn as nn
import torch.nn.functional as F

from training import arguments, log

COVERS, BANDS = 9, 6


def double(inputs, outputs, stride=1):
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False),
        nn.BatchNorm2d(outputs),
        nn.ReLU(),
        nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False),
        nn.BatchNorm2d(outputs),
        nn.ReLU(),
    )


class LandCover(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.patch = nn.Conv2d(BANDS, width, 4, 4)
        self.down1, self.down2, self.down3 = double(width, width), double(width, 2 * width, 2), double(2 * width, 4 * width, 2)
        self.up2, self.up1 = double(6 * width, 2 * width), double(3 * width, width)
        self.classify = nn.Conv2d(width, COVERS, 1)

    def forward(self, tile):
        a = self.down1(self.patch(tile))
        b = self.down2(a)
        c = self.down3(b)
        b = self.up2(torch.cat([b, F.interpolate(c, scale_factor=2)], 1))
        a = self.up1(torch.cat([a, F.interpolate(b, scale_factor=2)], 1))
        a = F.interpolate(a, size=tile.shape[2:], mode="bilinear", align_corners=False)
        return self.classify(a)


def tiles(count, side, seed=0):
    """Patches of cover, each with its own spectrum, and noise."""
    rng = torch.Generator().manual_seed(seed)
    coarse = torch.randn(count, COVERS, side // 8, side // 8, generator=rng)
    cover = F.interpolate(coarse, size=side, mode="bilinear").argmax(1)
    spectra = torch.randn(COVERS, BANDS, generator=rng)
    tile = spectra[cover].permute(0, 3, 1, 2) + torch.randn(count, BANDS, side, side, generator=rng)
    return tile.contiguous(), cover


def main():
    args = arguments(batch=(3, 2), width=(64, 4), side=(128, 32), pool=(64, 8))
    torch.manual_seed(0)
    model = LandCover(args.width)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
    tile, cover = tiles(args.pool, args.side)
    for step in range(1, args.steps + 1):
        chosen = torch.randint(args.pool, (args.batch,))
        loss = F.cross_entropy(model(tile[chosen]), cover[chosen])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
