"""torch.compile of the model. 120 steps. Exit code 77 where no compiler works."""
import sys

import torch
from torch import nn

torch.manual_seed(6)
model = nn.Sequential(nn.Linear(16, 32), nn.GELU(), nn.Linear(32, 16))
try:
    compiled = torch.compile(model)
    compiled(torch.randn(4, 16)).sum().backward()
except Exception as e:
    print("no compiler works here:", type(e).__name__)
    sys.exit(77)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
for step in range(120):
    optimizer.zero_grad()
    x = torch.randn(4, 16)
    loss = (compiled(x) - x).square().mean()
    loss.backward()
    optimizer.step()
print("final", loss.item())
