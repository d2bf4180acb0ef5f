"""Profiles its steps 3 to 6 itself. 40 steps."""
import torch
from tiny_gpt import TinyGpt, batch, loss_of
from torch.profiler import ProfilerActivity, profile, schedule

torch.manual_seed(12)
model = TinyGpt()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
seen = []
with profile(activities=[ProfilerActivity.CPU], schedule=schedule(wait=2, warmup=1, active=3, repeat=1),
             on_trace_ready=lambda p: seen.append(len(p.events()) > 100)) as profiler:
    for step in range(40):
        optimizer.zero_grad()
        loss = loss_of(model, batch())
        loss.backward()
        optimizer.step()
        profiler.step()
print("final", loss.item(), "traces", seen)
