"""The next sample of a sound, by causal convolutions that reach further in each layer."""
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.checkpoint import checkpoint_sequential

from training import arguments, log

LEVELS = 64


class Dilated(nn.Module):
    """A gated convolution over what came before."""

    def __init__(self, width, dilation):
        super().__init__()
        self.past = dilation
        self.conv = nn.Conv1d(width, 2 * width, 2, dilation=dilation)
        self.out = nn.Conv1d(width, width, 1)

    def forward(self, x):
        change, gate = self.conv(F.pad(x, (self.past, 0))).chunk(2, 1)
        return x + self.out(torch.tanh(change) * torch.sigmoid(gate))


class Wave(nn.Module):
    def __init__(self, width, layers):
        super().__init__()
        self.levels = nn.Embedding(LEVELS, width)
        self.layers = nn.Sequential(*(Dilated(width, 2**i) for i in range(layers)))
        self.head = nn.Sequential(nn.ReLU(), nn.Conv1d(width, LEVELS, 1))

    def forward(self, samples):
        x = self.levels(samples).transpose(1, 2)
        x = checkpoint_sequential(self.layers, 3, x, use_reentrant=False)
        return self.head(x)


def sounds(args):
    """args.steps pieces of sound (batch, length + 1), each sample one of LEVELS."""
    generator = torch.Generator().manual_seed(0)
    at = torch.arange(args.length + 1) / 20
    pitch = 0.5 + torch.rand(8, args.batch, 1, generator=generator)
    pieces = ((at * pitch).sin() * (LEVELS / 2 - 1) + LEVELS / 2).long()
    for step in range(args.steps):
        yield pieces[step % 8]


def main():
    args = arguments(batch=(4, 2), length=(1024, 64), width=(64, 8), layers=(8, 4))
    torch.manual_seed(0)
    model = Wave(args.width, args.layers)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
    for step, samples in enumerate(sounds(args), 1):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            logits = model(samples[:, :-1])
        loss = F.cross_entropy(logits.float(), samples[:, 1:])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
