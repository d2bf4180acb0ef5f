import torch


def update_average(average, model, decay):
    for a, p in zip(average.parameters(), model.parameters()):  # expect
        a.data.mul_(decay).add_(p.data, alpha=1 - decay)


model = torch.nn.Linear(64, 64).cuda()
optimizer = torch.optim.AdamW(model.parameters(), foreach=False)  # expect
for x, y in loader:
    loss = torch.nn.functional.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    update_average(average, model, 0.999)
