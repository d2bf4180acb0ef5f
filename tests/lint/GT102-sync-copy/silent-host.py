import torch

for step, (x, y) in enumerate(train_loader):
    targets = y.tolist()
    loss = torch.nn.functional.cross_entropy(model(x.cuda()), y.cuda())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 500 == 0:
        torch.save({k: v.cpu() for k, v in model.state_dict().items()}, "last.pt")

with torch.no_grad():
    for x, y in test_loader:
        predicted.append(model(x.cuda()).argmax(1).cpu())
