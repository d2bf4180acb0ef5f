"""A GPT fed by worker processes; evaluated and saved seldom."""
import os
import tempfile

import torch
from torch.utils.data import DataLoader

from models import GPT
from training import TextDataset, arguments, log, next_token_loss

EVERY = 100


@torch.no_grad()
def evaluate(model, dataset, args):
    x, y = (torch.stack(column) for column in zip(*(dataset[i] for i in range(args.batch))))
    return next_token_loss(model(x), y).item()


def main():
    args = arguments()
    torch.manual_seed(0)
    model = GPT(args)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4, fused=True)
    loader = DataLoader(TextDataset(args), batch_size=args.batch, num_workers=1, prefetch_factor=4)
    held_out = TextDataset(args, seed=1)
    with tempfile.TemporaryDirectory() as folder:
        for step, (x, y) in enumerate(loader, 1):
            loss = next_token_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            log(step, loss, args)
            if step % EVERY == 0:
                print(f"step {step} held-out loss {evaluate(model, held_out, args):.4f}", flush=True)
                torch.save(model.state_dict(), os.path.join(folder, "last.pt"))


if __name__ == "__main__":
    main()
