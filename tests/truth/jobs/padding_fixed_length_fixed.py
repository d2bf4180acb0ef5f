"""A GPT over sentences of different length."""
import torch
import torch.nn.functional as F

from models import GPT
from training import arguments, log, token_stream

PAD = 0


def sentences(args):
    """args.steps batches of rows; lengths from a half to three quarters of args.length."""
    stream = torch.from_numpy(token_stream(args)).clamp(min=1)
    generator = torch.Generator().manual_seed(0)
    for step in range(args.steps):
        lengths = torch.randint(args.length // 2, 3 * args.length // 4 + 1, (args.batch,), generator=generator)
        starts = [(step * args.batch + i) * 7919 % (len(stream) - args.length) for i in range(args.batch)]
        yield [stream[s : s + n] for s, n in zip(starts, lengths.tolist())]


def main():
    args = arguments(length=(256, 16), batch=(4, 2))
    torch.manual_seed(0)
    model = GPT(args)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4, fused=True)
    for step, rows in enumerate(sentences(args), 1):
        longest = max(len(row) for row in rows)
        tokens = torch.stack([F.pad(row, (0, longest - len(row)), value=PAD) for row in rows])
        x, y = tokens[:, :-1], tokens[:, 1:]
        loss = F.cross_entropy(model(x).flatten(0, 1), y.flatten(), ignore_index=PAD)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
