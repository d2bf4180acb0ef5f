from losses import Detection, Guarded, Often, visualise

model = Net().cuda()


def detect(loader, optimizer):
    criterion = Detection().cuda()
    total = 0.0
    for x, y in loader:
        loss = criterion(model(x.cuda()), y.cuda())
        total += loss.item()  # expect
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return total


def guarded(loader, optimizer):
    criterion = Guarded().cuda()
    total = 0.0
    for x, y in loader:
        loss = criterion(model(x.cuda()), y.cuda())
        total += loss.item()  # expect
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return total


def seldom(loader, optimizer):
    total = 0.0
    for step, (x, y) in enumerate(loader):
        out = model(x.cuda())
        loss = (out - y.cuda()).abs().mean()
        total += loss.item()  # expect
        if step % 100 == 0:
            visualise(out)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return total


def watched(loader, optimizer, keeper):
    often = Often()
    total = 0.0
    for x, y in loader:
        loss = (model(x.cuda()) - y.cuda()).abs().mean()
        total += loss.item()  # expect
        keeper.note(often, 3)  # with no tensors
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return total
