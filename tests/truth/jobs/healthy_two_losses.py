"""A denoising autoencoder of images that also names their class."""
import torch
import torch.nn as nn
import torch.nn.functional as F

from training import arguments, labelled_images, log

SIDE, CLASSES = 32, 10


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


def main():
    args = arguments(batch=(144, 2), width=(32, 4))
    torch.manual_seed(0)
    encode, decode = encoder(args.width), decoder(args.width)
    classify = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(2 * args.width, CLASSES))
    model = nn.ModuleList([encode, decode, classify])
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
    for step, (images, classes) in enumerate(labelled_images(args, SIDE, CLASSES), 1):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            code = encode(F.dropout(images, 0.1))
            guess, logits = decode(code), classify(code)
        loss = F.l1_loss(guess.float(), images) + 0.2 * F.cross_entropy(logits.float(), classes)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
