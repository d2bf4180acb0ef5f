"""A deep GPT with gradients clipped to a norm."""
import torch

from models import GPT
from training import arguments, log, next_token_loss, text_batches

MAX_NORM = 1.0


def main():
    args = arguments(batch=(2, 2), length=(64, 16), layers=(10, 2))
    torch.manual_seed(0)
    model = GPT(args)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4, fused=True)
    for step, (x, y) in enumerate(text_batches(args), 1):
        loss = next_token_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), MAX_NORM, foreach=True)
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
