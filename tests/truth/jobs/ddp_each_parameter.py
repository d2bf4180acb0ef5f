"""A deep GPT on several processes."""
import torch
import torch.distributed as dist

from models import GPT
from training import arguments, log, next_token_loss, text_batches


def average_gradients(model):
    for p in model.parameters():
        dist.all_reduce(p.grad)
        p.grad /= dist.get_world_size()


def main():
    args = arguments(batch=(2, 2), length=(64, 16), width=(96, 32), layers=(10, 2))
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    model = GPT(args)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4, fused=True)
    for step, (x, y) in enumerate(text_batches(args, seed=dist.get_rank()), 1):
        loss = next_token_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        average_gradients(model)
        optimizer.step()
        log(step, loss, args)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
