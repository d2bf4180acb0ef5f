import torch
import torch.nn.functional as F

model = torch.nn.Linear(8, 2).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for x, y in loader:
    logits = model(x.cuda())
    parts = F.cross_entropy(logits, y.cuda(), reduction="none")
    hard = torch.tensor([part.detach() for part in F.relu(parts)])  # expect
    both = torch.tensor([parts.mean(), parts.max()])  # expect
    kept = torch.tensor(logits)  # expect
    parts.mean().backward()
    optimizer.step()
    optimizer.zero_grad()
