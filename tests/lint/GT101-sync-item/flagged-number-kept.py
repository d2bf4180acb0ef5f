import torch
import torch.nn.functional as F

model = Net().cuda()
history = []
for step, (x, lengths, y) in enumerate(loader):
    x, lengths, y = x.cuda(), lengths.cuda(), y.cuda()
    loss = F.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    value = loss.item()  # expect
    history.append(round(value, 4))
    mean_length = lengths.float().mean().item()  # expect
    bar.set_description("%.2f %.1f" % (value, mean_length))
    if value < 0.1:
        bar.set_postfix(low=True)
