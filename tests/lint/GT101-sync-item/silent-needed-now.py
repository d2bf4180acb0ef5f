import torch
import torch.nn.functional as F

model = Net().cuda()
for step, (x, lengths, y) in enumerate(loader):
    x, lengths, y = x.cuda(), lengths.cuda(), y.cuda()
    longest = int(lengths.max().item() / 2)
    clip = min(longest, 400)
    half = x[:, :clip]
    for i in range(int(lengths.min().item())):
        half = half + x[:, i : i + 1]
    noise = torch.zeros(y.sum().item(), device="cuda")
    rows = (y > 0).sum().item()
    if rows == 0:
        continue
    loss = F.cross_entropy(model(half + noise), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    value = loss.item()
    if not torch.isfinite(torch.tensor(value)):
        raise RuntimeError(step)
