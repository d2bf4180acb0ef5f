"""Writes molecules as strings: a GRU learns from known ones and, by reward, from what it writes itself."""
import torch
import torch.nn as nn
import torch.nn.functional as F

from training import arguments, log

START = 0


class Writer(nn.Module):
    def __init__(self, vocab, width):
        super().__init__()
        self.tokens, self.gru = nn.Embedding(vocab, width), nn.GRU(width, width, 2, batch_first=True)
        self.head = nn.Linear(width, vocab)

    def forward(self, tokens, state=None):
        h, state = self.gru(self.tokens(tokens), state)
        return self.head(h), state


@torch.no_grad()
def write(model, count, length):
    """Strings (count, 1 + length) as the model would write them."""
    written = torch.full((count, 1), START)
    for _ in range(length):
        logits, _ = model(written)
        token = torch.multinomial(logits[:, -1].softmax(-1), 1)
        written = torch.cat([written, token], 1)
    return written


def reward(written):
    """Of different tokens, more is better."""
    body = written[:, 1:].sort(1).values
    return (body.diff(dim=1) != 0).float().mean(1)


def known(count, length, vocab, seed=0):
    rng = torch.Generator().manual_seed(seed)
    jump = torch.randint(1, 4, (count, length), generator=rng)
    return torch.cat([torch.full((count, 1), START), 1 + jump.cumsum(1) % (vocab - 1)], 1)


def likelihood(model, strings):
    """Of every string (batch,)."""
    logits, _ = model(strings[:, :-1])
    return -F.cross_entropy(logits.transpose(1, 2), strings[:, 1:], reduction="none").mean(1)


def main():
    args = arguments(batch=(112, 4), own=(6, 2), length=(10, 8), width=(192, 16), vocab=(48, 12))
    torch.manual_seed(0)
    model = Writer(args.vocab, args.width)
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-4, fused=True)
    strings, usual = known(60 * args.batch, args.length, args.vocab), torch.tensor(0.8)
    for step in range(1, args.steps + 1):
        written = write(model, args.own, args.length)
        gained = reward(written)
        both = likelihood(model, torch.cat([strings[torch.randint(len(strings), (args.batch,))], written]))
        loss = -both[: args.batch].mean() - 0.5 * ((gained - usual) * both[args.batch :]).mean()
        usual = torch.lerp(usual, gained.mean(), 0.05)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
