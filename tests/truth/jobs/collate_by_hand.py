"""A GPT whose batches are padded and weighted as they are put together."""
import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

from models import GPT
from training import arguments, log, token_stream

SEPARATOR, PAD = 3, 0


class Rows(Dataset):
    """Item i: a list of tokens."""

    def __init__(self, args):
        self.stream, self.args = token_stream(args).tolist(), args

    def __len__(self):
        return self.args.steps * self.args.batch

    def __getitem__(self, i):
        length = self.args.length - i % 8
        start = i * 7919 % (len(self.stream) - length)
        return self.stream[start : start + length]


def collate(rows):
    """Tokens (batch, longest), and for each where its segment began."""
    longest = max(len(row) for row in rows)
    tokens = torch.full((len(rows), longest), PAD)
    began = torch.zeros(len(rows), longest, dtype=torch.long)
    for r, row in enumerate(rows):
        start = 0
        for i, token in enumerate(row):
            if token == SEPARATOR:
                start = i
            tokens[r, i] = token
            began[r, i] = start
    return tokens, began


def main():
    args = arguments()
    torch.manual_seed(0)
    model = GPT(args)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4, fused=True)
    loader = DataLoader(Rows(args), batch_size=args.batch, collate_fn=collate)
    for step, (tokens, began) in enumerate(loader, 1):
        logits = model(tokens[:, :-1])
        losses = F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten(), ignore_index=PAD, reduction="none")
        age = torch.arange(1, tokens.shape[1]) - began[:, 1:]
        loss = (losses * (1 + 1 / (1.0 + age)).flatten()).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
