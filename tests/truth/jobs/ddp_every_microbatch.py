"""A GPT on several processes; a step has several micro-batches."""
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

from models import GPT
from training import arguments, log, next_token_loss, text_batches

MICRO_BATCHES = 4


def main():
    args = arguments(batch=(8, 4), length=(64, 16))
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    model = DistributedDataParallel(GPT(args))
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4, fused=True)
    for step, (x, y) in enumerate(text_batches(args, seed=dist.get_rank()), 1):
        optimizer.zero_grad()
        parts = list(zip(x.chunk(MICRO_BATCHES), y.chunk(MICRO_BATCHES)))
        for i, (x_part, y_part) in enumerate(parts):
            loss = next_token_loss(model(x_part), y_part)
            (loss / len(parts)).backward()
        optimizer.step()
        log(step, loss, args)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
