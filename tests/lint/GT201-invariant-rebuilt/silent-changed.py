import torch

model = torch.nn.Linear(8, 8).cuda()
optimizer = torch.optim.Adam(model.parameters())
label = torch.full((64,), 1.0, device="cuda")
for x, index in loader:
    # what is written into it depends on the batch
    one_hot = torch.zeros(x.size(0), 8, device=x.device)
    one_hot[torch.arange(x.size(0), device=x.device), index] = 1.0
    weight = 1.0 - one_hot
    rows = 1.0 / one_hot.size(0) / x.size(1)
    label.fill_(0.5)
    loss = (rows * weight * (model(x) - one_hot) ** 2).sum() + label.mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
