# select GT501
import os
import tempfile

import torch
import torch.nn as nn
import torch.nn.functional as F

device = "cuda" if torch.cuda.is_available() else "cpu"
config = {"lr": 3e-3, "batch_size": 16, "log_interval": 10}


class CharModel(nn.Module):
    def __init__(self, vocab_size, width):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, width)
        self.layer = nn.TransformerEncoderLayer(width, nhead=4, dim_feedforward=4 * width, batch_first=True)
        self.head = nn.Linear(width, vocab_size)
        mask = torch.full((64, 64), float("-inf")).triu(1)
        self.register_buffer("causal", mask, persistent=False)

    def forward(self, x):
        length = x.size(1)
        return self.head(self.layer(self.embedding(x), src_mask=self.causal[:length, :length]))


torch.manual_seed(0)
model = CharModel(64, 32).to(device)
optimizer = torch.optim.AdamW(model.parameters(), lr=config["lr"], fused=True)
text = torch.randint(0, 64, (config["batch_size"], 33), device=device)
for step in range(20):
    optimizer.zero_grad(set_to_none=True)
    with torch.autocast(device, dtype=torch.bfloat16):
        loss = F.cross_entropy(model(text[:, :-1]).flatten(0, 1), text[:, 1:].flatten())
    loss.backward()
    optimizer.step()  # expect GT501
    if step % config["log_interval"] == 0:
        print(f"step {step} loss {loss.item():.3f}")
with tempfile.TemporaryDirectory() as folder:
    torch.save(model.state_dict(), os.path.join(folder, "model.pt"))
