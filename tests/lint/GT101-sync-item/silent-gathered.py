import torch
from accelerate import Accelerator

accelerator = Accelerator()
model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
for batch, lengths in loader:
    lengths = lengths.to(accelerator.device)
    everywhere = accelerator.gather(lengths)
    plan(everywhere.min().item())
    loss = model(batch).loss
    accelerator.backward(loss)
    optimizer.step()
    scales = [torch.ones_like(scaler.scale) for _ in range(8)]
    torch.distributed.all_gather(scales, scaler.scale)
    scaler.set(min([one.item() for one in scales]))
