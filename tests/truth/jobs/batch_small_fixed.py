"""A GPT; how many rows at a time is the question."""
import torch

from models import GPT
from training import arguments, log, next_token_loss, text_batches


def main():
    args = arguments(batch=(2, 2), width=(384, 32), layers=(5, 2))
    torch.manual_seed(0)
    model = GPT(args)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4, fused=True)
    for step, (x, y) in enumerate(text_batches(args), 1):
        loss = next_token_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
