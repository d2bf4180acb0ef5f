"""Boxes around things in pictures: a small detector with one guess for each cell of a grid."""
import torch
import torch.nn as nn
import torch.nn.functional as F

from training import arguments, labelled_images, log

SIDE, CLASSES = 64, 10


def stage(inputs, outputs, stride):
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, 3, stride=stride, padding=1, bias=False), nn.BatchNorm2d(outputs), nn.Hardswish())


class Detector(nn.Module):
    """For each cell of 8 x 8: a box, whether there is something, and what."""

    def __init__(self, width):
        super().__init__()
        self.body = nn.Sequential(
            stage(3, width, 2), stage(width, width, 1), stage(width, 2 * width, 2), stage(2 * width, 2 * width, 1),
            stage(2 * width, 4 * width, 2))
        self.head = nn.Conv2d(4 * width, 5 + CLASSES, 1)

    def forward(self, images):
        return self.head(self.body(images))


def boxes(count, cells):
    """What is to be found in images: (count, 4, cells, cells), and whether there is something in a cell."""
    generator = torch.Generator().manual_seed(1)
    return (torch.rand(count, 4, cells, cells, generator=generator),
            (torch.rand(count, cells, cells, generator=generator) < 0.1).float())


def detection_loss(guess, box, there, classes):
    near = F.smooth_l1_loss(guess[:, :4], box, reduction="none").sum(1)
    named = F.cross_entropy(guess[:, 5:], classes[:, None, None].expand(there.shape), reduction="none")
    return F.binary_cross_entropy_with_logits(guess[:, 4], there) + ((near + named) * there).sum() / there.sum()


def main():
    args = arguments(batch=(48, 2), width=(40, 4))
    torch.manual_seed(0)
    model = Detector(args.width)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
    box, there = boxes(args.batch, SIDE // 8)
    for step, (images, classes) in enumerate(labelled_images(args, SIDE, CLASSES), 1):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            guess = model(images)
        loss = detection_loss(guess.float(), box, there, classes)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
