"""What people like by what they liked: an autoencoder over all items of a shop, most of them not seen."""
import torch
import torch.nn as nn
import torch.nn.functional as F

from training import arguments, log


class Taste(nn.Module):
    """Logits (batch, items) of what is liked by what was (batch, items)."""

    def __init__(self, items, width):
        super().__init__()
        self.encode = nn.Sequential(nn.Linear(items, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh())
        self.decode = nn.Linear(width, items)

    def forward(self, liked):
        return self.decode(self.encode(F.normalize(F.dropout(liked, 0.5, self.training))))


def likes(args):
    """args.steps batches (batch, items) of zeros and ones."""
    generator = torch.Generator().manual_seed(0)
    kind = torch.randint(32, (6, args.batch, 1), generator=generator)
    chance = torch.where(torch.arange(args.items) % 32 == kind, 0.2, 0.005)
    pool = torch.bernoulli(chance, generator=generator)
    for step in range(args.steps):
        yield pool[step % 6]


def clear(model):
    for parameter in model.parameters():
        if parameter.grad is not None:
            parameter.grad.detach_()
            parameter.grad.zero_()


def main():
    args = arguments(batch=(192, 3), items=(8000, 40), width=(768, 8))
    torch.manual_seed(0)
    model = Taste(args.items, args.width)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5, momentum=0.9, fused=True)
    for step, liked in enumerate(likes(args), 1):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            logits = model(liked)
        loss = F.cross_entropy(logits.float(), liked / liked.sum(1, keepdim=True).clamp(min=1))
        clear(model)
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
