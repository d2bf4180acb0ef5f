import torch
from torch import nn


class CharRNN(nn.Module):
    def __init__(self, n_characters, width):
        super().__init__()
        self.encoder = nn.Embedding(n_characters, width)
        self.rnn = nn.GRU(width, width, num_layers=2)
        self.decoder = nn.Linear(width, n_characters)

    def forward(self, text, hidden):
        out, hidden = self.rnn(self.encoder(text), hidden)
        return self.decoder(out), hidden


model = CharRNN(100, 256)
optimizer = torch.optim.Adam(model.parameters(), lr=0.005)
for epoch in range(2000):
    text, target = random_chunk()
    optimizer.zero_grad()
    out, _ = model(text, None)
    nn.functional.cross_entropy(out.flatten(0, 1), target.flatten()).backward()
    optimizer.step()  # expect
torch.save(model, "char-rnn.pt")
