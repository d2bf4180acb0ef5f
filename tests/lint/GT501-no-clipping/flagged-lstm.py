import torch
from torch import nn


class LanguageModel(nn.Module):
    def __init__(self, vocab_size, width):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, width)
        self.rnn = nn.LSTM(width, width, batch_first=True)
        self.head = nn.Linear(width, vocab_size)

    def forward(self, tokens):
        hidden, _ = self.rnn(self.embedding(tokens))
        return self.head(hidden)


model = LanguageModel(32000, 512).cuda()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for tokens, targets in loader:
    optimizer.zero_grad()
    logits = model(tokens.cuda())
    loss = nn.functional.cross_entropy(logits.flatten(0, 1), targets.cuda().flatten())
    loss.backward()
    optimizer.step()  # expect
torch.save(model.state_dict(), "model.pt")
