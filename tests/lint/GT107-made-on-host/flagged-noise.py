import torch

device = torch.device("cuda")
for real, _ in loader:
    z = torch.randn(real.size(0), 100).to(device)  # expect
    weight = torch.ones(real.size(0)).float().to(device, non_blocking=True)  # expect
    loss = critic(generator(z), weight).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
