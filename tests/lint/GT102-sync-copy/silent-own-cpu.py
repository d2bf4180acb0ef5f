import torch


class Meter:
    """Keeps numbers; its cpu() asks the operating system."""

    def cpu(self):
        return self.load

    def step(self):
        pass


meter = Meter()
for x, y in train_loader:
    x, y = x.cuda(), y.cuda()
    loss = torch.nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    history.append(meter.cpu())
