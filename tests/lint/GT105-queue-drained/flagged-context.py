import torch
import torch.distributed as dist

with Timer("training"):
    for x, y in loader:
        with autocast():
            loss = model(x.cuda()).mean()
            torch.cuda.synchronize()  # expect
        loss.backward()
        optimizer.step()
        torch.cuda.empty_cache()  # expect
        dist.barrier()
