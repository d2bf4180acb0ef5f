import torch
import torch.nn as nn
import torch.nn.functional as F

device = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)

steps, log_interval = 60, 20
model = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 10)).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
data = torch.randn(512, 32, device=device)
labels = torch.randint(0, 10, (512,), device=device)

total_loss = 0
for step in range(steps):
    chosen = torch.randint(0, 512, (64,), device=device)
    loss = F.cross_entropy(model(data[chosen]), labels[chosen])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    total_loss += loss.item()  # expect GT101
    if step % log_interval == 0:
        print(f"[{step:6d}] Loss: {total_loss / (step + 1):.2f}")
