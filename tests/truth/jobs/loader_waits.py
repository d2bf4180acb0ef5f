"""A GPT whose text comes from far away."""
import time

import torch
from torch.utils.data import DataLoader

from models import GPT
from training import TextDataset, arguments, log, next_token_loss

ANSWER_S = 0.0015  # what the storage takes to answer


class RemoteText(TextDataset):
    def __getitem__(self, i):
        time.sleep(ANSWER_S)
        return super().__getitem__(i)


def main():
    args = arguments()
    torch.manual_seed(0)
    model = GPT(args)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4, fused=True)
    loader = DataLoader(RemoteText(args), batch_size=args.batch)
    for step, (x, y) in enumerate(loader, 1):
        loss = next_token_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
