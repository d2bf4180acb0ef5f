import torch

train_loss, rates = 0.0, []
for step, (x, y) in enumerate(loader):
    loss = criterion(model(x), y) / args.accumulation
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    # read from the device already, or never there
    average = accelerator.gather(loss.repeat(len(x))).mean()
    train_loss += average.item() / args.accumulation
    weight = args.weight
    train_loss += weight
    rates.append(optimizer.param_groups[0]["lr"])
    with torch.no_grad():
        shown = criterion(model(x), y)
    train_loss += shown
    train_loss += metric_fn(model(x), y)
