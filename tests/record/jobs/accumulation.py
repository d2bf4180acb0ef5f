"""Gradients of three batches a step; a learning rate that changes. 120 steps."""
import torch
from tiny_gpt import TinyGpt, batch, loss_of

torch.manual_seed(4)
model = TinyGpt()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, foreach=False)
schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1 / (1 + step))
for step in range(120):
    for _ in range(3):
        loss = loss_of(model, batch(2)) / 3
        loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    schedule.step()
    optimizer.zero_grad(set_to_none=True)
print("final", loss.item(), "rate", schedule.get_last_lr())
