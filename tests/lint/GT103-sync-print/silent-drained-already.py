import torch
import torch.nn.functional as F

model = Net().cuda()
scaler = torch.amp.GradScaler("cuda")

for step, (x, y) in enumerate(loader):
    loss = F.cross_entropy(model(x.cuda()), y.cuda())
    optimizer.zero_grad()
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
    bar.set_postfix_str(f"loss {loss:.3f}")
    writer.add_scalar("loss", loss, step)
