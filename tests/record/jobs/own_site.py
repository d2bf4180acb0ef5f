"""Needs the user's own sitecustomize (tests/record/own_site on PYTHONPATH). 120 steps."""
import sys

import torch
from tiny_gpt import TinyGpt, batch, loss_of

torch.manual_seed(13)
model = TinyGpt()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
for step in range(120):
    optimizer.zero_grad()
    loss = loss_of(model, batch())
    loss.backward()
    optimizer.step()
print("final", loss.item(), from_the_users_own_site, "own_site" in sys.modules["sitecustomize"].__file__)  # noqa: F821
