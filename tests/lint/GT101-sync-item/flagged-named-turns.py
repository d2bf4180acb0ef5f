import torch.nn.functional as F

model = Net().cuda()
log = {}

for step, (x, y) in enumerate(loader):
    loss = F.cross_entropy(model(x.cuda()), y.cuda())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    due = step % 10 == 0
    most = step % 10 != 0
    shown = due or log["all"]
    if most:
        log["most"] = loss.item()  # expect
    if shown:
        log["shown"] = loss.item()  # expect
    if log["scale"] > 0:
        total = loss.detach()
    else:
        log["other"] = loss.item()  # expect
