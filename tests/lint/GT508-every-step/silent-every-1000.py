import torch


def save(model, step):
    torch.save(model.state_dict(), f"{step}.pt")


for step, (x, y) in enumerate(train_loader):
    optimizer.zero_grad()
    torch.nn.functional.cross_entropy(model(x), y).backward()
    optimizer.step()
    if step % 1000 == 0:
        save(model, step)
        evaluate(model, val_loader)
