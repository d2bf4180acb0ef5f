import torch

model = torch.nn.Linear(64, 64).cuda()
optimizer = torch.optim.AdamW(model.parameters())
for step, (x, y) in enumerate(loader):
    loss = torch.nn.functional.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()
    torch._foreach_mul_(list(model.parameters()), 0.999)
    norms = [p.grad.norm() for p in model.parameters()]
    if step % 1000 == 0:
        for a, p in zip(average.parameters(), model.parameters()):
            a.data.copy_(p.data)
