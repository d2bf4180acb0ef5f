"""Letters of spoken words: frames of sound of different length, a GRU over them, and CTC."""
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.utils.rnn import pad_sequence

from training import arguments, log

MELS, LETTERS = 40, 30


class Listener(nn.Module):
    """Log-probabilities (frames, batch, LETTERS) of frames (batch, frames, MELS)."""

    def __init__(self, width):
        super().__init__()
        self.first = nn.Sequential(nn.Linear(MELS, width), nn.ReLU(), nn.LayerNorm(width))
        self.gru = nn.GRU(width, width, batch_first=True)
        self.last = nn.Linear(width, LETTERS)

    def forward(self, frames):
        x, _ = self.gru(self.first(frames))
        return self.last(x).log_softmax(-1).transpose(0, 1)


class Recordings:
    """Spoken words and their letters; few are as long as the longest that is allowed."""

    def __init__(self, args):
        generator = torch.Generator().manual_seed(0)
        spread = args.longest * 8 // 10 - args.longest // 3
        lengths = args.longest // 3 + torch.randint(spread, (args.recordings,), generator=generator)
        self.sounds = [torch.randn(int(n), MELS, generator=generator) for n in lengths]
        self.letters = [torch.randint(1, LETTERS, (len(s) // 6,), generator=generator) for s in self.sounds]

    def batch(self, step, size):
        """Frames (size, longest of them, MELS), their lengths, letters one after the other, and their lengths."""
        which = [(step * size + i) % len(self.sounds) for i in range(size)]
        frames = pad_sequence([self.sounds[i] for i in which], batch_first=True)
        sizes = torch.tensor([len(self.sounds[i]) for i in which])
        letters = [self.letters[i] for i in which]
        return frames, sizes, torch.cat(letters), torch.tensor([len(x) for x in letters])


def main():
    args = arguments(batch=(24, 3), longest=(160, 30), recordings=(960, 12), width=(160, 8))
    torch.manual_seed(0)
    model = Listener(args.width)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
    recordings = Recordings(args)
    for step in range(1, args.steps + 1):
        frames, sizes, letters, letter_sizes = recordings.batch(step, args.batch)
        loss = F.ctc_loss(model(frames), letters, sizes, letter_sizes, zero_infinity=True)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
