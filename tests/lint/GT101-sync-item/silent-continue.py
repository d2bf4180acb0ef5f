import torch

for step, (x, y) in enumerate(loader):
    loss = torch.nn.functional.cross_entropy(model(x.cuda()), y.cuda())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if (step + 1) % 50 != 0:
        continue
    print(step, loss.item())


def test_loss_falls():
    for _ in range(3):
        loss = model(torch.ones(2, 2)).sum()
        loss.backward()
        optimizer.step()
        assert loss.item() < 10
