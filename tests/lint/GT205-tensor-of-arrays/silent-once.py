import numpy as np
import torch

train_x = torch.tensor(np.stack([np.load(p) for p in paths]))
weights = torch.tensor([np.asarray(w) for w in class_weights])
model = torch.nn.Linear(8, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(10):
    model(train_x).sum().backward()
    optimizer.step()
    optimizer.zero_grad()
