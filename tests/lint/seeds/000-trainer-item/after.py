import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

device = "cuda" if torch.cuda.is_available() else "cpu"


class BaselineTrainer:
    def __init__(self, model, lr, log_interval):
        self.model = model.to(device)
        self.optimizer = torch.optim.SGD(model.parameters(), lr=lr)
        self.log_interval = log_interval

    def train_step(self, x, y):
        x, y = x.to(device), y.to(device)
        self.optimizer.zero_grad()
        loss = F.cross_entropy(self.model(x), y)
        loss.backward()
        self.optimizer.step()
        return loss.detach()

    def train(self, loader):
        total_loss = torch.zeros((), device=device)
        for step, (x, y) in enumerate(loader):
            total_loss += self.train_step(x, y)
            if step % self.log_interval == 0:
                print(f"step {step} loss {total_loss / (step + 1):.3f}")


torch.manual_seed(0)
dataset = TensorDataset(torch.randn(1024, 32), torch.randint(0, 10, (1024,)))
trainer = BaselineTrainer(nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 10)), lr=0.1, log_interval=10)
trainer.train(DataLoader(dataset, batch_size=32, shuffle=True))
