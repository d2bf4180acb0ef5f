"""An autoencoder of images that notes how well it does on each of them."""
import csv
import tempfile

import torch
import torch.nn as nn
import torch.nn.functional as F

from training import arguments, labelled_images, log

SIDE, REPORT_EVERY = 32, 10


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


def report(writer, step, guess, images):
    """A row for each image: signal to noise, largest error, sharpness of what was guessed."""
    for i, (a, b) in enumerate(zip(guess, images)):
        noise = (a - b).square().mean()
        sharpness = (a[:, 1:] - a[:, :-1]).abs().mean()
        figures = (b.var() / noise).log10(), (a - b).abs().max(), sharpness
        writer.writerow([step, i, *(f"{figure.item():.4f}" for figure in figures)])


def main():
    args = arguments(batch=(144, 2), width=(32, 4))
    torch.manual_seed(0)
    model = nn.Sequential(encoder(args.width), decoder(args.width))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
    with tempfile.TemporaryFile("w") as file:
        writer = csv.writer(file)
        for step, (images, _) in enumerate(labelled_images(args, SIDE, 10), 1):
            with torch.autocast("cpu", dtype=torch.bfloat16):
                guess = model(images).float()
            loss = F.mse_loss(guess, images)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            log(step, loss, args)
            if step % REPORT_EVERY == 0:
                report(writer, step, guess.detach(), images)


if __name__ == "__main__":
    main()
