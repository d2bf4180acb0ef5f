"""A deep GPT with gradients clipped to a norm."""
import torch

from models import GPT
from training import arguments, log, next_token_loss, text_batches

MAX_NORM = 1.0


def clip(parameters):
    total = 0.0
    for p in parameters:
        total += p.grad.double().pow(2).sum().item()
    total = total**0.5
    for p in parameters:
        if total > MAX_NORM:
            p.grad = p.grad * (MAX_NORM / (total + 1e-6))


def main():
    args = arguments(batch=(2, 2), length=(64, 16), layers=(10, 2))
    torch.manual_seed(0)
    model = GPT(args)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4, fused=True)
    for step, (x, y) in enumerate(text_batches(args), 1):
        loss = next_token_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        clip(list(model.parameters()))
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
