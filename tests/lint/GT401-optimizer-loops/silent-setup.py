import torch

model = torch.nn.Linear(64, 64).cuda()
for p in model.parameters():
    p.data.mul_(0.5)
    p.requires_grad = True
optimizer = torch.optim.AdamW(model.parameters(), foreach=False, fused=True)
for x, y in loader:
    loss = torch.nn.functional.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()
