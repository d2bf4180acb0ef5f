import torch

for step in range(1000000):
    with torch.no_grad():
        q_values = q_network(torch.Tensor(obs).to(device))
        actions = torch.argmax(q_values, dim=1).cpu().numpy()
    obs, rewards, terminations, truncations, infos = envs.step(actions)
    loss = torch.nn.functional.mse_loss(target(), q_network(data()))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
