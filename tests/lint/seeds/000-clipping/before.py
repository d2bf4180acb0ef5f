# select GT501
import os
import tempfile

import torch
import torch.nn as nn
import torch.nn.functional as F

device = "cuda" if torch.cuda.is_available() else "cpu"


class LanguageModel(nn.Module):
    def __init__(self, vocab_size, width):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, width)
        self.lstm = nn.LSTM(width, width, batch_first=True)
        self.head = nn.Linear(width, vocab_size)

    def forward(self, x):
        return self.head(self.lstm(self.embedding(x))[0])


class Trainer:
    def __init__(self, model):
        self.model = model
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, fused=True)
        self.scaler = torch.amp.GradScaler(device, enabled=device == "cuda")

    def train_step(self, x, y):
        self.optimizer.zero_grad()
        with torch.autocast(device, enabled=device == "cuda"):
            loss = F.cross_entropy(self.model(x).flatten(0, 1), y.flatten())
        self.scaler.scale(loss).backward()
        self.scaler.step(self.optimizer)  # expect GT501
        self.scaler.update()
        return loss.detach()

    def train(self, text, steps):
        for step in range(steps):
            loss = self.train_step(text[:, :-1], text[:, 1:])
            if step % 10 == 0:
                print(f"step {step} loss {loss.item():.3f}")


torch.manual_seed(0)
model = LanguageModel(64, 32).to(device)
Trainer(model).train(torch.randint(0, 64, (16, 33), device=device), steps=20)
with tempfile.TemporaryDirectory() as folder:
    torch.save(model.state_dict(), os.path.join(folder, "model.pt"))
