"""A GPT that is evaluated now and then."""
import torch

from models import GPT
from training import arguments, log, next_token_loss, text_batches

EVALUATE_EVERY = 5
EVALUATION_BATCHES = 2


@torch.no_grad()
def evaluate(model, batches):
    model.eval()
    losses = [next_token_loss(model(x), y).item() for x, y in batches]
    model.train()
    return sum(losses) / len(losses)


def main():
    args = arguments()
    torch.manual_seed(0)
    model = GPT(args)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4, fused=True)
    held_out = list(text_batches(args, seed=1, count=EVALUATION_BATCHES))
    for step, (x, y) in enumerate(text_batches(args), 1):
        loss = next_token_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)
        if step % EVALUATE_EVERY == 0:
            print(f"step {step} held-out loss {evaluate(model, held_out):.4f}", flush=True)


if __name__ == "__main__":
    main()
