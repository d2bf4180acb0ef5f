"""All tags that fit a text, out of very many: each tag is a yes or a no."""
import torch
import torch.nn as nn
import torch.nn.functional as F

from training import arguments, log

INPUTS = 384


class Tagger(nn.Module):
    """Logits (batch, tags) of what is known of texts (batch, INPUTS)."""

    def __init__(self, width, tags):
        super().__init__()
        self.body = nn.Sequential(
            nn.Linear(INPUTS, width), nn.LayerNorm(width), nn.GELU(), nn.Linear(width, width), nn.LayerNorm(width), nn.GELU())
        self.tags = nn.Linear(width, tags)

    def forward(self, texts):
        return self.tags(self.body(texts))


def texts(args):
    """args.steps pairs of texts (batch, INPUTS) and their tags (batch, tags)."""
    generator = torch.Generator().manual_seed(0)
    pool = torch.randn(4, args.batch, INPUTS, generator=generator)
    tags = (torch.rand(4, args.batch, args.tags, generator=generator) < 0.01).float()
    for step in range(args.steps):
        yield pool[step % 4], tags[step % 4]


def main():
    args = arguments(batch=(1024, 3), tags=(2400, 40), width=(1024, 16))
    torch.manual_seed(0)
    model = Tagger(args.width, args.tags)
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-4, fused=True)
    for step, (x, tags) in enumerate(texts(args), 1):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            logits = model(x)
        loss = F.binary_cross_entropy_with_logits(logits.float(), tags)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
