import torch

for x, y in loader:
    fake = generator(x)
    loss_d = discriminator(fake).mean()
    loss_d.backward(retain_graph=True)
    optimizer_d.step()
    loss_g = -torch.log(discriminator(fake)).mean()
    loss_g.backward()
    optimizer_g.step()
