"""Learns to learn letters of new alphabets: for each task the last layer alone is adapted in a few inner steps."""
import torch
import torch.nn as nn
import torch.nn.functional as F

from training import arguments, log

LETTERS, RATE = 5, 0.5


def body(width):
    return nn.Sequential(
        nn.Conv2d(1, width, 3, 2, 1),
        nn.GroupNorm(4, width),
        nn.ReLU(),
        nn.Conv2d(width, width, 3, 2, 1),
        nn.GroupNorm(4, width),
        nn.ReLU(),
        nn.Conv2d(width, width, 3, 1, 1),
        nn.ReLU(),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
    )


class Learner(nn.Module):
    def __init__(self, width, rounds):
        super().__init__()
        self.body, self.head, self.rounds = body(width), nn.Linear(width, LETTERS), rounds

    def adapted(self, image, letter):
        """Weight and bias of the last layer after some steps on the few examples of a task."""
        weight, bias = self.head.weight, self.head.bias
        for _ in range(self.rounds):
            features = self.body(image)
            loss = F.cross_entropy(F.linear(features, weight, bias), letter)
            slopes = torch.autograd.grad(loss, (weight, bias), create_graph=True)
            weight, bias = weight - RATE * slopes[0], bias - RATE * slopes[1]
        return weight, bias

    def forward(self, few, few_letter, many):
        return F.linear(self.body(many), *self.adapted(few, few_letter))


class Alphabets:
    """Tasks of five letters each: a few examples to adapt to, more to be judged by."""

    def __init__(self, count, side, seed=0):
        self.rng = torch.Generator().manual_seed(seed)
        self.shape = F.interpolate(torch.randn(count, 1, 6, 6, generator=self.rng), size=side)

    def task(self, shots):
        chosen = torch.randperm(len(self.shape), generator=self.rng)[:LETTERS]
        letter = torch.arange(LETTERS).repeat(shots)
        shape = self.shape[chosen][letter]
        return shape + 0.7 * torch.randn(shape.shape, generator=self.rng), letter


def main():
    args = arguments(batch=(2, 2), side=(40, 16), width=(48, 4), few=(1, 1), many=(14, 2), rounds=(3, 2))
    torch.manual_seed(0)
    model, alphabets = Learner(args.width, args.rounds), Alphabets(64, args.side)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
    for step in range(1, args.steps + 1):
        total = 0.0
        for _ in range(args.batch):
            image, letter = alphabets.task(args.few + args.many)
            few = args.few * LETTERS
            total = total + F.cross_entropy(model(image[:few], letter[:few], image[few:]), letter[few:]) / args.batch
        optimizer.zero_grad()
        total.backward()
        optimizer.step()
        log(step, total, args)


if __name__ == "__main__":
    main()
