"""A GPT; a step has several micro-batches and clipped gradients."""
import torch

from models import GPT
from training import arguments, log, next_token_loss, text_batches

MICRO_BATCHES = 2


def main():
    args = arguments(batch=(16, 4), layers=(2, 2))
    torch.manual_seed(0)
    model = GPT(args)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4, fused=True)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=args.steps)
    for step, (x, y) in enumerate(text_batches(args), 1):
        optimizer.zero_grad()
        for x_part, y_part in zip(x.chunk(MICRO_BATCHES), y.chunk(MICRO_BATCHES)):
            loss = next_token_loss(model(x_part), y_part)
            (loss / MICRO_BATCHES).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0, foreach=True)
        optimizer.step()
        schedule.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
