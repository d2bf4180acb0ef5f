import heapq

import torch
import torch.nn as nn
import torch.nn.functional as F

device = "cuda" if torch.cuda.is_available() else "cpu"


class Node(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.fc = nn.Linear(width, width)

    def forward(self, x):
        return x + F.relu(self.fc(x))


class TreeModel(nn.Module):
    def __init__(self, width, nodes, classes):
        super().__init__()
        self.all_nodes = nn.ModuleList(Node(width) for _ in range(nodes))
        self.head = nn.Linear(width, classes)

    def forward(self, x):
        for node in self.all_nodes:
            x = node(x)
        return self.head(x)


class HierarchicalTrainer:
    def __init__(self, model, lr, top_k, log_interval):
        self.model, self.top_k, self.log_interval = model, top_k, log_interval
        self.optimizer = torch.optim.SGD(model.parameters(), lr=lr)

    def train_step(self, x, y):
        self.optimizer.zero_grad()
        loss = F.cross_entropy(self.model(x), y)
        loss.backward()
        grad_norms = {}
        for number, node in enumerate(self.model.all_nodes):
            total_norm = 0.0
            for p in node.parameters():
                if p.grad is not None:
                    total_norm += p.grad.norm().item()  # expect GT101
            grad_norms[number] = total_norm
        top_k_nodes = heapq.nlargest(self.top_k, grad_norms, key=grad_norms.get)
        for number, node in enumerate(self.model.all_nodes):
            if number not in top_k_nodes:
                node.zero_grad()
        self.optimizer.step()
        return loss.detach()

    def train(self, x, y, steps):
        total_loss = torch.zeros((), device=device)
        for step in range(steps):
            total_loss += self.train_step(x, y)
            if step % self.log_interval == 0:
                print(f"step {step} loss {total_loss / (step + 1):.3f}")


torch.manual_seed(0)
trainer = HierarchicalTrainer(TreeModel(32, 15, 10).to(device), lr=0.05, top_k=4, log_interval=10)
trainer.train(torch.randn(256, 32, device=device), torch.randint(0, 10, (256,), device=device), steps=30)
