"""Reads dishes from pictures of menus: convolutions over columns, CTC, and the rate of wrong letters as it goes."""
import torch
import torch.nn as nn
import torch.nn.functional as F

from training import arguments, log

LETTERS, HEIGHT = 27, 16
REPORT_EVERY = 50


class Reader(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv1d(HEIGHT, width, 5, 1, 2),
            nn.ReLU(),
            nn.Conv1d(width, width, 5, 1, 2),
            nn.BatchNorm1d(width),
            nn.ReLU(),
            nn.Conv1d(width, width, 5, 1, 2),
            nn.BatchNorm1d(width),
            nn.ReLU(),
            nn.Conv1d(width, LETTERS, 1),
        )

    def forward(self, line):
        return self.body(line).log_softmax(1).permute(2, 0, 1)


def letters_of(scores):
    """The best path of each line without repetitions and blanks, as lists."""
    lines = []
    for row in scores.argmax(2).T.tolist():
        lines.append([letter for i, letter in enumerate(row) if letter and (i == 0 or row[i - 1] != letter)])
    return lines


def edits(a, b):
    """Letters to change, add or leave out between two lists."""
    before = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        now = [i]
        for j, y in enumerate(b, 1):
            now.append(min(before[j] + 1, now[j - 1] + 1, before[j - 1] + (x != y)))
        before = now
    return before[-1]


def menus(count, length, seed=0):
    """Each letter is a few columns wide, with noise."""
    rng = torch.Generator().manual_seed(seed)
    text = torch.randint(1, LETTERS, (count, length), generator=rng)
    shape = torch.randn(LETTERS, HEIGHT, 4, generator=rng)
    line = shape[text].permute(0, 2, 1, 3).flatten(2)
    return line + 0.5 * torch.randn(line.shape, generator=rng), text


def main():
    args = arguments(batch=(20, 2), length=(24, 6), width=(192, 8))
    torch.manual_seed(0)
    model = Reader(args.width)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
    line, text = menus(40 * args.batch, args.length)
    frames, lengths = (torch.full((args.batch,), n) for n in (line.shape[2], args.length))
    wrong = 1.0
    for step in range(1, args.steps + 1):
        chosen = torch.randint(len(line), (args.batch,))
        scores = model(line[chosen])
        loss = F.ctc_loss(scores, text[chosen], frames, lengths)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % REPORT_EVERY == 0:
            read = zip(letters_of(scores.detach()), text[chosen].tolist())
            wrong = 0.9 * wrong + 0.1 * sum(edits(a, b) for a, b in read) / text[chosen].numel()
        log(step, loss, args)
    print(f"wrong letters {wrong:.3f}", flush=True)


if __name__ == "__main__":
    main()
