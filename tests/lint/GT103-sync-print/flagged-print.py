import torch
import wandb

model = Net().cuda()

for step, (x, y) in enumerate(loader):
    loss = torch.nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    print("step", step, "loss", loss)  # expect
    bar.set_description(f"loss {loss:.3f}, norm {norm}")  # expect
    wandb.log({"loss": loss, "step": step})  # expect
