"""The order of search results: a cross network beside a deep one; the document that was chosen shall come first in its list."""
import torch
import torch.nn as nn
import torch.nn.functional as F

from training import arguments, log

FEATURES = 136


class Cross(nn.Module):
    """Products of features with each other, one degree more a layer."""

    def __init__(self, width, layers):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(width, width) for _ in range(layers))

    def forward(self, x):
        y = x
        for layer in self.layers:
            y = x * layer(y) + y
        return y


class Ranker(nn.Module):
    """A score for each document (batch, documents) by its features (batch, documents, FEATURES)."""

    def __init__(self, width):
        super().__init__()
        self.norm = nn.BatchNorm1d(FEATURES)
        self.cross = Cross(FEATURES, 2)
        self.deep = nn.Sequential(
            nn.Linear(FEATURES, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, width // 2), nn.ReLU())
        self.score = nn.Linear(FEATURES + width // 2, 1)

    def forward(self, features):
        x = self.norm(features.flatten(0, 1))
        return self.score(torch.cat([self.cross(x), self.deep(x)], 1)).view(features.shape[:2])


def lists(args):
    """args.steps pairs of features (batch, documents, FEATURES) and the chosen document (batch,)."""
    generator = torch.Generator().manual_seed(0)
    pool = torch.randn(8, args.batch, args.documents, FEATURES, generator=generator)
    chosen = pool[..., :3].sum(-1).argmax(-1)
    for step in range(args.steps):
        yield pool[step % 8], chosen[step % 8]


def main():
    args = arguments(batch=(32, 2), documents=(20, 5), width=(2048, 16))
    torch.manual_seed(0)
    model = Ranker(args.width)
    optimizer = torch.optim.Adagrad(model.parameters(), lr=0.01, fused=True)
    for step, (features, chosen) in enumerate(lists(args), 1):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            scores = model(features)
        loss = F.cross_entropy(scores.float(), chosen)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
