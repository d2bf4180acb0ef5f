"""An autoencoder of vectors on several processes, which are kept the same with care."""
import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel

from training import arguments, labelled_vectors, log

INPUTS = 512


def network(width, code):
    return nn.Sequential(
        nn.Linear(INPUTS, width), nn.GELU(), nn.Linear(width, width), nn.GELU(), nn.Linear(width, code),
        nn.Linear(code, width), nn.GELU(), nn.Linear(width, width), nn.GELU(), nn.Linear(width, INPUTS))


@torch.no_grad()
def synchronize(parameters):
    """What the first process has, for all."""
    flat = nn.utils.parameters_to_vector(parameters)
    dist.broadcast(flat, 0)
    nn.utils.vector_to_parameters(flat, parameters)


def main():
    args = arguments(batch=(1024, 4), width=(512, 16), code=(64, 4))
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    model = DistributedDataParallel(network(args.width, args.code))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
    for step, (x, _) in enumerate(labelled_vectors(args, INPUTS, 2), 1):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            guess = model(x)
        loss = F.mse_loss(guess.float(), x)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        synchronize(list(model.parameters()))
        log(step, loss, args)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
