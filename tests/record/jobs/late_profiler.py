"""Profiles itself when the recording is over, from step 121 on. 130 steps."""
import torch
from tiny_gpt import TinyGpt, batch, loss_of
from torch.profiler import ProfilerActivity, profile

torch.manual_seed(14)
model = TinyGpt()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
profiler = None
for step in range(130):
    if step == 120:
        profiler = profile(activities=[ProfilerActivity.CPU])
        profiler.start()
    optimizer.zero_grad()
    loss = loss_of(model, batch())
    loss.backward()
    optimizer.step()
profiler.stop()
print("final", loss.item(), "events", len(profiler.events()) > 100)
