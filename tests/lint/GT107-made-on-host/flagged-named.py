import torch

device = torch.device("cuda")
for x, y in loader:
    h = torch.zeros(x.shape[0], 64).to(device=device)  # expect
    mask = torch.ones(x.shape[1],  # expect
                      x.shape[1],
                      # of all positions
                      ).to(device)
    loss = torch.nn.functional.cross_entropy(model(x, h, mask), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
