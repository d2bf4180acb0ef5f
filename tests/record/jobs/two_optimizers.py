"""Two critics' steps and one of the generator, as GANs are trained. 3 optimizer calls a step, 120 steps."""
import torch
from torch import nn

torch.manual_seed(3)
generator, critic = nn.Linear(8, 8), nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
of_generator = torch.optim.Adam(generator.parameters(), lr=1e-3)
of_critic = torch.optim.RMSprop(critic.parameters(), lr=1e-3)
for step in range(120):
    for _ in range(2):
        of_critic.zero_grad()
        (critic(generator(torch.randn(16, 8)).detach()).mean() - critic(torch.randn(16, 8)).mean()).backward()
        of_critic.step()
    of_generator.zero_grad()
    loss = -critic(generator(torch.randn(16, 8))).mean()
    loss.backward()
    of_generator.step()
print("final", loss.item())
