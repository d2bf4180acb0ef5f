import torch
import torch.nn.functional as F


class Meters:
    def update(self, **values):
        for name, value in values.items():
            if isinstance(value, torch.Tensor):
                value = value.item()
            if hasattr(value, "item"):
                value = value.item()
            self.sums[name] += value


meters = Meters()
model = Net().to("cuda")
for x, y in loader:
    loss = F.cross_entropy(model(x.cuda()), y.cuda())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    meters.update(lr=optimizer.param_groups[0]["lr"])
