import torch
import torch.distributed as dist
import torch.nn.functional as F

model = Net().cuda()
signal = torch.zeros(1, device="cuda")
for step, (x, y) in enumerate(loader):
    loss = F.cross_entropy(model(x.cuda()), y.cuda())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    # all ranks have to stop in the same step
    dist.all_reduce(signal)
    if signal.item() > 0:
        break
    counts = torch.bincount(y.cuda(), minlength=8)
    dist.all_to_all_single(received, counts)
    rows = counts.sum().item()
    exchange(rows)
