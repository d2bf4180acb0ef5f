import torch


class Agent:
    def __init__(self, args):
        self.alpha = args.alpha

    def update(self, batch):
        loss = self.model(batch.cuda()).mean()
        loss.backward()
        self.optimizer.step()
        if self.tuned:
            self.alpha = self.log_alpha.exp()
            logged = self.alpha.clone()
        else:
            logged = torch.tensor(self.alpha)
        return logged


for batch in loader:
    agent.update(batch)
