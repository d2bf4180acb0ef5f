def train(model, loader, opt):
    for step, (x, y) in enumerate(loader):
        loss = model(x.cuda(), y)
        loss.backward()
        opt.step()
        if step % 100 == 0:
            print(step, loss.item())
