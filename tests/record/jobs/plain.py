"""A plain loop with an evaluation every 10 steps and a checkpoint every 20. 120 steps."""
import io

import torch
from tiny_gpt import TinyGpt, batch, loss_of

torch.manual_seed(1)
model = TinyGpt()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
for step in range(120):
    optimizer.zero_grad()
    loss = loss_of(model, batch())
    loss.backward()
    optimizer.step()
    if step % 10 == 9:
        model.eval()
        with torch.no_grad():
            print("step", step, "loss", loss.item(), "validation", loss_of(model, batch()).item())
        model.train()
    if step % 20 == 19:
        torch.save(model.state_dict(), io.BytesIO())
print("final", loss.item(), "random", torch.rand(1).item())
