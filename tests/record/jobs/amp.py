"""Autocast to bfloat16 and a gradient scaler that is off on the CPU. 120 steps."""
import torch
from tiny_gpt import TinyGpt, batch, loss_of

torch.manual_seed(5)
model = TinyGpt()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
scaler = torch.amp.GradScaler("cpu", enabled=False)
for step in range(120):
    optimizer.zero_grad()
    with torch.autocast("cpu", torch.bfloat16):
        loss = loss_of(model, batch())
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
print("final", loss.item())
