"""Predicts clicks from many sparse fields: one table for all fields, of which a batch uses most rows, and their pairwise products."""
import torch
import torch.nn as nn
import torch.nn.functional as F

from training import arguments, log


class Clicks(nn.Module):
    def __init__(self, fields, values, width, hidden):
        super().__init__()
        self.first = torch.arange(fields) * values
        self.table, self.bias = nn.Embedding(fields * values, width), nn.Embedding(fields * values, 1)
        self.deep = nn.Sequential(nn.Linear(fields * width, hidden), nn.ReLU(), nn.Dropout(0.1), nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, 1))
        nn.init.normal_(self.table.weight, std=0.05)

    def forward(self, features):
        ids = features + self.first
        x = self.table(ids)
        pairs = 0.5 * (x.sum(1).square() - x.square().sum(1)).sum(1)
        return self.bias(ids).sum((1, 2)) + pairs + self.deep(x.flatten(1)).squeeze(1)


def impressions(count, fields, values, seed=0):
    rng = torch.Generator().manual_seed(seed)
    features = torch.randint(values, (count, fields), generator=rng)
    liking = torch.randn(fields, values, generator=rng)
    score = liking[torch.arange(fields), features].sum(1) / fields**0.5
    return features, (score + torch.randn(count, generator=rng) > 0).float()


def main():
    args = arguments(batch=(3584, 8), fields=(24, 4), values=(200, 10), width=(16, 4), hidden=(384, 8))
    torch.manual_seed(0)
    model = Clicks(args.fields, args.values, args.width, args.hidden)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
    features, clicked = impressions(30 * args.batch, args.fields, args.values)
    for step in range(1, args.steps + 1):
        chosen = torch.randint(len(features), (args.batch,))
        loss = F.binary_cross_entropy_with_logits(model(features[chosen]), clicked[chosen])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
