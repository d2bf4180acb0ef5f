import torch

for x, y in loader:
    loss = model(x.cuda()).mean()
    loss.backward()
    optimizer.step()
    if settings.enable_profiling:
        torch.cuda.synchronize()
        events.record()
