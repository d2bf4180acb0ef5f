import torch
from sklearn.metrics import f1_score

for x, y in train_loader:
    x, y = x.cuda(), y.cuda()
    logits = model(x)
    loss = torch.nn.functional.cross_entropy(logits, y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    predicted = logits.argmax(1).detach().cpu().numpy()  # expect
    f1 += f1_score(y.to("cpu"), predicted)  # expect
