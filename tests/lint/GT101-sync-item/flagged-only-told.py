import torch.nn.functional as F

model = Net().cuda()
best = 100.0
for x, y in loader:
    loss = F.cross_entropy(model(x.cuda()), y.cuda())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if loss.item() < best:  # expect
        best = float(loss.detach())  # expect
        print("a new best")
