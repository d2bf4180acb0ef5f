import torch


class WarmupScheduler:
    def __init__(self, optimizer):
        self.optimizer, self.n = optimizer, 0

    def step(self):
        self.n += 1
        for group in self.optimizer.param_groups:
            group["lr"] = min(1.0, self.n / 100) * 1e-3


scheduler = WarmupScheduler(optimizer)
for x, y in loader:
    optimizer.zero_grad()
    torch.nn.functional.cross_entropy(model(x), y).backward()
    scheduler.step()
    optimizer.step()
