import torch


class Agent:
    def losses(self, x, y):
        q = self.critic(x)
        gap = (q - y).mean()
        alpha_loss = -torch.exp(self.log_alpha) * gap
        self.alpha_optimizer.zero_grad()
        alpha_loss.backward(retain_graph=True)
        self.alpha_optimizer.step()
        q_loss = torch.nn.functional.mse_loss(q, y) + gap
        return q_loss, alpha_loss  # the caller goes back through q

    def train(self, loader):
        for x, y in loader:
            q_loss, alpha_loss = self.losses(x, y)
            self.optimizer.zero_grad()
            q_loss.backward()
            self.optimizer.step()


def kept(self, x, y, optimizer):
    out = torch.relu(x @ self.weight)
    loss = torch.nn.functional.mse_loss(out, y)
    optimizer.zero_grad()
    loss.backward(retain_graph=True)
    optimizer.step()
    self.out = out
