def train():
    for epoch in range(9):
        for step, (x, y) in enumerate(loader):
            opt.zero_grad()
            loss = model(x.to(device), y)
            loss.backward()
            for p in params:
                norms.append(p.grad.norm().item())
            losses = [l.item() for l in parts]
            if step % 100 == 0:
                print(float(loss), out.tolist())
            opt.step()
            torch.cuda.empty_cache()
while loss.item() > 1:
    (model(x)
     .sum()
     .cpu())
    loss.backward()
