import torch
import torch.nn.functional as F

for x, y in loader:
    loss = F.cross_entropy(F.softmax(model(x), dim=1), y)  # expect
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
