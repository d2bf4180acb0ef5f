"""Ends with exit code 3 after 20 steps, in the middle of the recording."""
import sys

import torch
from tiny_gpt import TinyGpt, batch, loss_of

torch.manual_seed(9)
model = TinyGpt()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
for step in range(20):
    optimizer.zero_grad()
    loss = loss_of(model, batch())
    loss.backward()
    optimizer.step()
print("final", loss.item())
print("something is wrong", file=sys.stderr)
sys.exit(3)
