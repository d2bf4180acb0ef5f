import torch


def scores(q, k):
    batch, heads, length, width = q.shape
    out = torch.empty(batch, heads, length, length, device=q.device)
    for h in range(heads):  # expect
        out[:, h] = q[:, h] @ k[:, h].transpose(-2, -1)
    return out


class Grid(torch.nn.Module):
    def forward(self, x):
        self.batch_grid = torch.zeros(x.size(0), 32, 32, device=x.device)
        for i in range(x.size(0)):  # expect
            self.batch_grid[i] = self.grid
        return x * self.batch_grid


for x, y in loader:
    q, k = model(x)
    loss = torch.nn.functional.mse_loss(scores(q, k), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
