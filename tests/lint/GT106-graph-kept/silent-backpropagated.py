import torch

for batch in loader:
    optimizer.zero_grad()
    loss = 0
    for head, target in zip(model(batch), batch.targets):
        loss += torch.nn.functional.cross_entropy(head, target)
    loss.backward()
    optimizer.step()

window = 0
for step, batch in enumerate(loader):
    window += criterion(model(batch), batch.y)
    if step % 4 == 3:
        (window / 4).backward()
        optimizer.step()
        optimizer.zero_grad()
        window = 0
