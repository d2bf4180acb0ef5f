import torch
from engine import take_step
from torch import nn

model = nn.Transformer(512)
tokenizer = load_tokenizer()
optimizer = torch.optim.AdamW(model.parameters())
for batch in loader:
    loss = model(batch).mean()
    optimizer.zero_grad()
    loss.backward()
    take_step(model, optimizer)
