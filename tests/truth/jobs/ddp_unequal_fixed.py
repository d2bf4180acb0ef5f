"""A GPT on several processes that share batches of short and of long rows."""
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

from models import GPT
from training import arguments, log, next_token_loss, text_batches

POOL = 8  # batches, in the order of their length


def share(args, rank, processes):
    """The batches of this process."""
    batches = list(text_batches(args, count=POOL))
    short = args.length // 2
    batches[: POOL // 2] = [(x[:, :short], y[:, :short]) for x, y in batches[: POOL // 2]]
    return batches[rank::processes]


def main():
    args = arguments(batch=(4, 2), length=(160, 16))
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    model = DistributedDataParallel(GPT(args))
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4, fused=True)
    batches = share(args, dist.get_rank(), dist.get_world_size())
    for step in range(1, args.steps + 1):
        x, y = batches[step % len(batches)]
        loss = next_token_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
