import torch


class Meter:
    def cpu(self):
        return self.load


meter = Meter()
for x, y in train_loader:
    x, y = x.cuda(), y.cuda()
    logits = model(x)
    loss = torch.nn.functional.cross_entropy(logits, y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    history.append((meter.cpu(), logits.argmax(1).cpu()))  # expect
