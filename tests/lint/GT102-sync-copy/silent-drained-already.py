import torch
import torch.nn.functional as F

model = Net().cuda()
correct = 0
for x, y in loader:
    x, y = x.cuda(), y.cuda()
    out = model(x)
    hits = (out.argmax(1) == y).nonzero()  # the host needs its length
    correct += hits.float().sum().cpu()
    loss = F.cross_entropy(out, y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
