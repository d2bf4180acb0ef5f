import torch
import torch.distributed as dist

for x, y in loader:
    with Timer("update: %f"):
        loss = model(x.cuda()).mean()
        loss.backward()
        optimizer.step()
        torch.cuda.synchronize()
    torch.cuda.synchronize()
    dist.barrier()
    model.log(1)
    model.log(2)
    torch.cuda.synchronize()
    spent = begin.elapsed_time(end)
    profiling_step()


def profiling_step():
    torch.cuda.synchronize()
