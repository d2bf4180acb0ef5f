import torch

for x, y in loader:
    scale = torch.tensor(0.5).to(device)  # expect
    loss = model(x.cuda()).mean() * scale
    loss.backward()
    optimizer.step()
    total += loss.item()
