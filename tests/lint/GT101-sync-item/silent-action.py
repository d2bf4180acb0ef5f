import torch


class Agent(torch.nn.Module):
    def forward(self, state):
        return torch.distributions.Categorical(logits=self.net(state)).sample()


agent = Agent()
optimizer = torch.optim.Adam(agent.parameters())
for episode in range(1000):
    state = env.reset()
    for t in range(200):
        action = agent(torch.as_tensor(state).cuda())
        state, reward, done, info = env.step(action.item())
    loss = replay.loss(agent)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
