"""Finds clauses in contracts: a deep residual network over vectors of sentences. The norm of its gradients is kept for a plot."""
import torch
import torch.nn as nn
import torch.nn.functional as F

from training import arguments, log

CLAUSES, LONGEST = 30, 1.0


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm, self.wide, self.narrow = nn.LayerNorm(width), nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        return x + self.narrow(F.silu(self.wide(self.norm(x))))


def sentences(count, inputs, seed=0):
    rng = torch.Generator().manual_seed(seed)
    clause = torch.randint(CLAUSES, (count,), generator=rng)
    return torch.randn(CLAUSES, inputs, generator=rng)[clause] + torch.randn(count, inputs, generator=rng), clause


def main():
    args = arguments(batch=(36, 4), inputs=(128, 8), width=(320, 8), layers=(12, 2))
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(args.inputs, args.width), *[Block(args.width) for _ in range(args.layers)], nn.Linear(args.width, CLAUSES))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, fused=True)
    vectors, clauses = sentences(60 * args.batch, args.inputs)
    norms = []
    for step in range(1, args.steps + 1):
        chosen = torch.randint(len(clauses), (args.batch,))
        loss = F.cross_entropy(model(vectors[chosen]), clauses[chosen])
        optimizer.zero_grad()
        loss.backward()
        norms.append(nn.utils.clip_grad_norm_(model.parameters(), LONGEST))
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
