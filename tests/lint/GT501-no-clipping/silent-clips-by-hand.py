import torch
from torch import nn

rnn = nn.LSTM(128, 128)
head = nn.Linear(128, vocab_size)
parameters = [*rnn.parameters(), *head.parameters()]
optimizer = torch.optim.SGD(parameters, lr=1.0)
for x, y in batches:
    optimizer.zero_grad()
    nn.functional.cross_entropy(head(rnn(x)[0]).flatten(0, 1), y.flatten()).backward()
    for p in parameters:
        p.grad.clamp_(-0.25, 0.25)
    optimizer.step()
