"""A job with a seed, and what its argument changes of it: nothing, its seed, or a fault that is planted. 40 steps, or as many as a
second argument says.

frozen    a group of parameters has no learning rate
gradient  the gradient of one layer is zeroed
mask      attention sees one token of the future
unseeded  no seed
sdpa      nothing that matters: attention by one operator, and a fused optimizer
slow      nothing that matters: it sleeps in each step
dies      it raises after 30 steps
"""
import sys
import time

import torch
from tiny_gpt import HEADS, LENGTH, Attention, TinyGpt, batch, loss_of


def by_one_operator(self, x):
    b, t, c = x.shape
    q, k, v = (m(x).view(b, t, HEADS, c // HEADS).transpose(1, 2) for m in (self.q, self.k, self.v))
    y = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
    return self.out(y.transpose(1, 2).reshape(b, t, c))


change = sys.argv[1] if len(sys.argv) > 1 else ""
torch.manual_seed(torch.seed() if change == "unseeded" else 6)
model = TinyGpt()
block = model.blocks[1]
if change == "sdpa":
    Attention.forward = by_one_operator
if change == "mask":
    block.attention.hidden = torch.ones(LENGTH, LENGTH, dtype=torch.bool).triu(2)
if change == "gradient":
    block.norm1.weight.register_hook(torch.zeros_like)
group = list(block.mlp.parameters())
rest = [p for p in model.parameters() if not any(p is q for q in group)]
groups = [{"params": rest}, {"params": group, "lr": 0.0 if change == "frozen" else 1e-3}]
optimizer = torch.optim.AdamW(groups, lr=1e-3, fused=change == "sdpa")
for step in range(int(sys.argv[2]) if len(sys.argv) > 2 else 40):
    time.sleep(0.02 if change == "slow" else 0)
    if change == "dies" and step == 30:
        raise RuntimeError("planted")
    optimizer.zero_grad()
    loss = loss_of(model, batch())
    loss.backward()
    optimizer.step()
print("final", loss.item())
