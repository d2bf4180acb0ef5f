"""A GPT that had run out of memory once."""
import gc

import torch

from models import GPT
from training import arguments, log, next_token_loss, text_batches

COLLECT_EVERY = 8


def main():
    args = arguments()
    torch.manual_seed(0)
    model = GPT(args)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4, fused=True)
    for step, (x, y) in enumerate(text_batches(args), 1):
        loss = next_token_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)
        if step % COLLECT_EVERY == 0:
            gc.collect()


if __name__ == "__main__":
    main()
