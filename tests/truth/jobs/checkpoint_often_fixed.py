"""A GPT whose state is saved now and then."""
import os
import tempfile

import torch

from models import GPT
from training import arguments, log, next_token_loss, text_batches

SAVE_EVERY = 50


def save(model, optimizer, step, path):
    torch.save({"step": step, "model": model.state_dict(), "optimizer": optimizer.state_dict()}, path + ".new")
    os.replace(path + ".new", path)


def main():
    args = arguments(batch=(2, 2), width=(384, 32))
    torch.manual_seed(0)
    model = GPT(args)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4, fused=True)
    with tempfile.TemporaryDirectory() as folder:
        for step, (x, y) in enumerate(text_batches(args), 1):
            loss = next_token_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            log(step, loss, args)
            if step % SAVE_EVERY == 0:
                save(model, optimizer, step, os.path.join(folder, "last.pt"))


if __name__ == "__main__":
    main()
