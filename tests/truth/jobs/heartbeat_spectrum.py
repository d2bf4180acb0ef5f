"""Heartbeats told apart without labels: two noisy views of a piece shall lie together. How well the space is used is noted."""
import json
import tempfile

import torch
import torch.nn as nn
import torch.nn.functional as F

from training import arguments, log

LEADS, NOTE_EVERY = 4, 1


class Encoder(nn.Module):
    """Unit vectors (batch, out) of pieces (batch, LEADS, length)."""

    def __init__(self, width, out):
        super().__init__()
        self.net = nn.Sequential(
            nn.Conv1d(LEADS, width, 7, stride=2, padding=3), nn.BatchNorm1d(width), nn.ReLU(),
            nn.Conv1d(width, width, 5, stride=2, padding=2), nn.BatchNorm1d(width), nn.ReLU(),
            nn.Conv1d(width, 2 * width, 5, stride=2, padding=2), nn.BatchNorm1d(2 * width), nn.ReLU(),
            nn.AdaptiveAvgPool1d(1), nn.Flatten(), nn.Linear(2 * width, out))

    def forward(self, pieces):
        return F.normalize(self.net(pieces).float(), dim=1)


def pieces(args):
    """args.steps pairs of views (batch, LEADS, length)."""
    generator = torch.Generator().manual_seed(0)
    pitch = 0.05 + 0.3 * torch.rand(4, args.batch, LEADS, 1, generator=generator)
    clean = (pitch * torch.arange(args.length)).sin() ** 9
    noise = 0.3 * torch.randn(8, args.batch, LEADS, args.length, generator=generator)
    for step in range(args.steps):
        yield clean[step % 4] + noise[step % 8], clean[step % 4] + noise[(step + 3) % 8]


def contrast(a, b, heat=0.1):
    likeness = a @ b.T / heat
    own = torch.arange(len(a))
    return (F.cross_entropy(likeness, own) + F.cross_entropy(likeness.T, own)) / 2


@torch.no_grad()
def space_used(a, b):
    """How near views are, how evenly the pieces lie, and how many directions they fill."""
    strengths = torch.linalg.svdvals(torch.cat([a, b]) - torch.cat([a, b]).mean(0))
    share = strengths / strengths.sum()
    return {
        "alignment": (a - b).square().sum(1).mean().item(),
        "uniformity": torch.pdist(a).square().mul(-2).exp().mean().log().item(),
        "rank": (-(share * share.clamp(min=1e-9).log()).sum()).exp().item(),
        "strengths": strengths[:16].tolist()}


def main():
    args = arguments(batch=(256, 4), length=(256, 32), width=(48, 8), out=(256, 8))
    torch.manual_seed(0)
    model = Encoder(args.width, args.out)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
    with tempfile.TemporaryFile("w") as notes:
        for step, views in enumerate(pieces(args), 1):
            with torch.autocast("cpu", dtype=torch.bfloat16):
                a, b = model(torch.cat(views)).chunk(2)
            loss = contrast(a, b)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            log(step, loss, args)
            if step % NOTE_EVERY == 0:
                print(json.dumps({"step": step, **space_used(a, b)}), file=notes)


if __name__ == "__main__":
    main()
