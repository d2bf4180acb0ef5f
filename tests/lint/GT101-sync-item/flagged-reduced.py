import torch
import torch.distributed as dist
import torch.nn.functional as F

model = Net().cuda()
for step, (x, y) in enumerate(loader):
    loss = F.cross_entropy(model(x.cuda()), y.cuda())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    # averaged only to be shown
    dist.all_reduce(loss)
    bar.set_description(f"{loss.item():.3f}")  # expect
