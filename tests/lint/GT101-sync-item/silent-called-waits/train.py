import torch.nn.functional as F

from losses import Detection, Policy, matched

model = Net().cuda()


def detect(loader, optimizer):
    criterion = Detection().cuda()
    total = 0.0
    for x, y in loader:
        loss = criterion(model(x.cuda()), y.cuda())  # asks for a sum
        total += loss.item()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return total


def match(loader, optimizer):
    total = 0.0
    for x, y in loader:
        loss = F.mse_loss(model(x.cuda()), y.cuda())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
        extra = matched(y.cuda(), y.cuda())  # counts rows
    return total, extra


def reinforce(optimizer, policy: Policy):
    policy = Policy().cuda()
    total = 0.0
    for _ in range(1000):
        tokens = policy.rollout(64)  # waits for every token
        loss = F.mse_loss(policy(tokens), tokens)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    return total
