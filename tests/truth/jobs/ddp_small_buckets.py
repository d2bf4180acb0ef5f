"""A deep GPT on several processes."""
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

from models import GPT
from training import arguments, log, next_token_loss, text_batches


def main():
    args = arguments(batch=(2, 2), length=(64, 16), width=(96, 32), layers=(10, 2))
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    model = DistributedDataParallel(GPT(args), bucket_cap_mb=0.01)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4, fused=True)
    for step, (x, y) in enumerate(text_batches(args, seed=dist.get_rank()), 1):
        loss = next_token_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
