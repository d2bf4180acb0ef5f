"""A network that knows the letters of one office learns those of others: its weights stay, thin adapters are trained."""
import torch
import torch.nn as nn
import torch.nn.functional as F

from models import Block
from training import arguments, log

OFFICES = 14


class Adapted(nn.Module):
    """A linear layer that stays as it is, and a detour through few numbers that learns."""

    def __init__(self, linear, rank):
        super().__init__()
        self.linear = linear.requires_grad_(False)
        self.down = nn.Linear(linear.in_features, rank, bias=False)
        self.up = nn.Linear(rank, linear.out_features, bias=False)
        nn.init.zeros_(self.up.weight)

    def forward(self, x):
        return self.linear(x) + self.up(self.down(x))


def adapt(model, rank):
    """Adapters for what goes into attention and out of each MLP; all else stays."""
    model.requires_grad_(False)
    for block in model.blocks:
        block.attention.qkv = Adapted(block.attention.qkv, rank)
        block.mlp[2] = Adapted(block.mlp[2], rank)
    model.office.requires_grad_(True)
    return [p for p in model.parameters() if p.requires_grad]


class Reader(nn.Module):
    def __init__(self, args):
        super().__init__()
        self.words = nn.Embedding(args.vocab, args.width)
        self.blocks = nn.Sequential(*(Block(args.width, args.heads) for _ in range(args.layers)))
        self.office = nn.Linear(args.width, OFFICES)

    def forward(self, letters):
        return self.office(self.blocks(self.words(letters))[:, -1])


def main():
    args = arguments(batch=(24, 2), length=(96, 8), width=(192, 16), heads=(4, 2), layers=(3, 1), vocab=(4000, 50), rank=(8, 2))
    torch.manual_seed(0)
    model = Reader(args)
    optimizer = torch.optim.AdamW(adapt(model, args.rank), lr=2e-3, fused=True)
    letters = torch.randint(args.vocab, (8, args.batch, args.length))
    offices = letters[:, :, 0] % OFFICES
    for step in range(1, args.steps + 1):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            logits = model(letters[step % 8])
        loss = F.cross_entropy(logits.float(), offices[step % 8])
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        log(step, loss, args)


if __name__ == "__main__":
    main()
