import torch

device = torch.device("cuda")
fixed = torch.randn(64, 100).to(device)
for images, lengths in loader:
    lengths = torch.tensor(lengths).to(device)
    images = torch.from_numpy(images).to(device)
    noise = torch.randn(len(images), 100, device=device).to(torch.bfloat16)
    loss = criterion(generator(noise), images)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
