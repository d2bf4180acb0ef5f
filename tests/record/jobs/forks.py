"""Forks: a child trains as well and leaves through sys.exit; the parent goes on. 120 steps in each."""
import os
import sys

import torch
from tiny_gpt import TinyGpt, batch, loss_of


def train(seed, steps):
    torch.manual_seed(seed)
    model = TinyGpt()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for step in range(steps):
        optimizer.zero_grad()
        loss = loss_of(model, batch())
        loss.backward()
        optimizer.step()
    return loss.item()


train(1, 12)  # the fork comes while it is recorded
torch.set_num_threads(1)
child = os.fork()
if child == 0:
    print("child", train(2, 120), flush=True)
    sys.exit(5)
print("exit code of the child", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
print("final", train(3, 120))
