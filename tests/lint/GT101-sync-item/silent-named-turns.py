import torch.nn.functional as F

model = Net().cuda()
log = {}


def summarize(loss):
    log["summary"] = loss.item()


for step, (x, y) in enumerate(loader):
    loss = F.cross_entropy(model(x.cuda()), y.cuda())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    early = step % 10 == 0 and step < 100
    late = step % 1000 == 0
    regularize = step % 4 == 0
    if early or late:
        log["early"] = loss.item()
        summarize(loss)
    if regularize:
        log["regular"] = loss.item()
    if step > 0:
        total = total + loss.detach()
    else:
        log["first"] = loss.item()
