from accelerate import Accelerator

accelerator = Accelerator()
model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
total = 0.0
most = 0.0
for batch in loader:
    loss = model(batch.to(accelerator.device)).loss
    accelerator.backward(loss)
    optimizer.step()
    total += accelerator.gather(loss).mean().item()  # expect
    losses = accelerator.gather(loss)
    most = most + losses.max().item()  # expect
