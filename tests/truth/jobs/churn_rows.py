"""Foretells which customers leave, from the columns of their accounts: a residual network and a DataLoader."""
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, RandomSampler, TensorDataset

from training import arguments, log

PLANS = 40


class Residual(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm, self.wide, self.narrow = nn.LayerNorm(width), nn.Linear(width, 2 * width), nn.Linear(2 * width, width)

    def forward(self, x):
        return x + self.narrow(F.relu(self.wide(self.norm(x))))


class Churn(nn.Module):
    def __init__(self, columns, width, layers):
        super().__init__()
        self.plan, self.enter = nn.Embedding(PLANS, width), nn.Linear(columns, width)
        self.blocks = nn.Sequential(*[Residual(width) for _ in range(layers)])
        self.leave = nn.Linear(width, 1)

    def forward(self, columns, plan):
        return self.leave(self.blocks(self.enter(columns) + self.plan(plan))).squeeze(1)


def accounts(count, columns, seed=0):
    rng = torch.Generator().manual_seed(seed)
    values, plan = torch.randn(count, columns, generator=rng), torch.randint(PLANS, (count,), generator=rng)
    pull = values[:, :6].sum(1) + torch.randn(PLANS, generator=rng)[plan]
    return TensorDataset(values, plan, (pull + torch.randn(count, generator=rng) > 1).float())


def main():
    args = arguments(batch=(1024, 8), columns=(48, 8), width=(288, 16), layers=(4, 2), customers=(60_000, 100))
    torch.manual_seed(0)
    data = accounts(args.customers, args.columns)
    order = RandomSampler(data, generator=torch.Generator().manual_seed(1))
    loader = DataLoader(data, batch_size=args.batch, sampler=order, drop_last=True)
    model = Churn(args.columns, args.width, args.layers)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
    step = 0
    while step < args.steps:
        for columns, plan, left in loader:
            loss = F.binary_cross_entropy_with_logits(model(columns, plan), left)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            step += 1
            log(step, loss, args)
            if step == args.steps:
                break


if __name__ == "__main__":
    main()
