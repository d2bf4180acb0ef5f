import torch
import torch.nn.functional as F

model = Net().cuda()
kept = []
for x, y in loader:
    x, y = x.cuda(), y.cuda()
    out = model(x)
    loss = F.cross_entropy(out, y)
    loss.backward()
    optimizer.step()
    first = out.cpu()[0]  # expect
    kept.append(first)
    shares = torch.bincount(y).tolist()  # expect
    record(shares)
