"""Waits for a signal after some steps; leaves with exit code 7 when SIGTERM comes."""
import signal
import sys
import time

import torch
from tiny_gpt import TinyGpt, batch, loss_of

signal.signal(signal.SIGTERM, lambda *a: sys.exit(7))
model = TinyGpt()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
for step in range(20):
    optimizer.zero_grad()
    loss_of(model, batch()).backward()
    optimizer.step()
print("ready", flush=True)
time.sleep(60)
