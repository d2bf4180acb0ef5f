"""An autoencoder of images whose error is square where it is small and straight where it is large."""
import torch
import torch.nn as nn

from training import arguments, labelled_images, log

SIDE, DELTA = 64, 0.5


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


def huber(guess, images):
    error = (guess - images).abs()
    square = 0.5 * error**2
    straight = DELTA * (error - 0.5 * DELTA)
    return torch.where(error < DELTA, square, straight).mean()


def main():
    args = arguments(batch=(72, 2), width=(24, 4))
    torch.manual_seed(0)
    model = nn.Sequential(encoder(args.width), decoder(args.width))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
    for step, (images, _) in enumerate(labelled_images(args, SIDE, 10), 1):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            guess = model(images)
        loss = huber(guess.float(), images)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
