"""A GPT whose batches are put together from a list of tokens."""
import torch

from models import GPT
from training import arguments, log, next_token_loss, token_stream


def rows(tokens, starts, length):
    """(batch, length): the tokens from each start on."""
    return torch.stack([torch.stack([torch.tensor(tokens[s + i]) for i in range(length)]) for s in starts])


def main():
    args = arguments()
    torch.manual_seed(0)
    model = GPT(args)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4, fused=True)
    tokens = token_stream(args).tolist()
    for step in range(1, args.steps + 1):
        starts = [(step * args.batch + i) * 7919 % (len(tokens) - args.length - 1) for i in range(args.batch)]
        x, y = rows(tokens, starts, args.length), rows(tokens, [s + 1 for s in starts], args.length)
        loss = next_token_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
