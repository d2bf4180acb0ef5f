"""Clips and captions brought near to each other; those of one scene are not held against each other."""
import torch
import torch.nn as nn
import torch.nn.functional as F

from training import arguments, log

TEMPERATURE = 0.1


class ClipTower(nn.Module):
    """A unit vector for each clip (batch, length, INPUTS)."""

    def __init__(self, inputs, width):
        super().__init__()
        self.first = nn.Conv1d(inputs, width, 5, padding=2)
        self.second = nn.Conv1d(width, width, 5, padding=2)
        self.out = nn.Linear(width, width)

    def forward(self, frames):
        x = F.gelu(self.first(frames.transpose(1, 2)))
        x = F.gelu(self.second(F.max_pool1d(x, 2)))
        return F.normalize(self.out(x.mean(2)).float(), dim=-1)


class CaptionTower(nn.Module):
    def __init__(self, vocab, width):
        super().__init__()
        self.words = nn.EmbeddingBag(vocab, width, mode="mean")
        self.out = nn.Sequential(nn.Linear(width, width), nn.GELU(), nn.Linear(width, width))

    def forward(self, words):
        return F.normalize(self.out(self.words(words)).float(), dim=-1)


def same_scene(scenes):
    """(batch, batch): whether two rows show one scene, and are not the same row."""
    return (scenes.unsqueeze(1) == scenes).fill_diagonal_(False)


def examples(args):
    """args.steps times clips, words of captions (batch, 12), scenes (batch,)."""
    generator = torch.Generator().manual_seed(0)
    clips = torch.randn(4, args.batch, args.length, 32, generator=generator)
    words = torch.randint(args.vocab, (4, args.batch, 12), generator=generator)
    scenes = torch.randint(args.batch // 2, (4, args.batch), generator=generator)
    for step in range(args.steps):
        yield clips[step % 4], words[step % 4], scenes[step % 4]


def main():
    args = arguments(batch=(192, 4), length=(128, 8), vocab=(1000, 64), width=(96, 16))
    torch.manual_seed(0)
    clip_tower, caption_tower = ClipTower(32, args.width), CaptionTower(args.vocab, args.width)
    optimizer = torch.optim.AdamW([*clip_tower.parameters(), *caption_tower.parameters()], lr=1e-3, fused=True)
    own = torch.arange(args.batch)
    for step, (clips, words, scenes) in enumerate(examples(args), 1):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            a, b = clip_tower(clips), caption_tower(words)
        scores = (a @ b.T / TEMPERATURE).masked_fill(same_scene(scenes), float("-inf"))
        loss = (F.cross_entropy(scores, own) + F.cross_entropy(scores.T, own)) / 2
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
