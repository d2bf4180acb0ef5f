import torch

for batch in loader:
    loss = model(batch.cuda()).mean()
    loss.backward()
    optimizer.step()
    if tuned:
        alpha = loss.exp()
        logged = torch.tensor(alpha)  # expect
    else:
        logged = 0.5
