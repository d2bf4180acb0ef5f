"""Profiles itself when the recording is over, from step 61 on. 70 steps."""
import torch
from tiny_gpt import TinyGpt, batch, loss_of
from torch.profiler import ProfilerActivity, profile

torch.manual_seed(14)
model = TinyGpt()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
profiler = None
for step in range(70):
    if step == 60:
        profiler = profile(activities=[ProfilerActivity.CPU])
        profiler.start()
    optimizer.zero_grad()
    loss = loss_of(model, batch())
    loss.backward()
    optimizer.step()
profiler.stop()
print("final", loss.item(), "events", len(profiler.events()) > 100)
