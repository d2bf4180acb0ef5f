"""An autoencoder on several processes; the first one draws what comes out."""
import os
import tempfile

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel

from training import arguments, labelled_images, log

SIDE, PREVIEWS = 32, 8


def encoder(width):
    return nn.Sequential(
        nn.Conv2d(3, width, 4, stride=2, padding=1), nn.GELU(),
        nn.Conv2d(width, 2 * width, 4, stride=2, padding=1), nn.GELU(),
        nn.Conv2d(2 * width, 2 * width, 3, padding=1))


def decoder(width):
    return nn.Sequential(
        nn.GELU(), nn.Conv2d(2 * width, 2 * width, 3, padding=1), nn.GELU(),
        nn.ConvTranspose2d(2 * width, width, 4, stride=2, padding=1), nn.GELU(),
        nn.ConvTranspose2d(width, 3, 4, stride=2, padding=1))


def draw(path, images):
    """Images (n, 3, side, side) as a picture of plain text."""
    rows = images.clamp(0, 1).mul(255).int().permute(0, 2, 3, 1).flatten(0, 1).tolist()
    with open(path, "w", encoding="ascii") as file:
        file.write(f"P3 {len(rows[0])} {len(rows)} 255\n")
        for row in rows:
            file.write(" ".join(f"{r} {g} {b}" for r, g, b in row) + "\n")


def main():
    args = arguments(batch=(64, 2), width=(24, 4))
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    model = DistributedDataParallel(nn.Sequential(encoder(args.width), decoder(args.width)))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
    folder = tempfile.TemporaryDirectory()
    for step, (images, _) in enumerate(labelled_images(args, SIDE, 10), 1):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            guess = model(images)
        loss = F.mse_loss(guess.float(), images)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)
        if dist.get_rank() == 0:
            draw(os.path.join(folder.name, "last.ppm"), guess[:PREVIEWS].detach())
    folder.cleanup()
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
