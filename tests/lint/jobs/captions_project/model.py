"""A recurrent model that tells a picture in words."""
import torch.nn as nn


class Captioner(nn.Module):
    def __init__(self, inputs, width, words):
        super().__init__()
        self.picture = nn.Linear(inputs, width)
        self.words = nn.Embedding(words, width)
        self.rnn = nn.GRU(width, width, batch_first=True)
        self.head = nn.Linear(width, words)

    def forward(self, pictures, tokens):
        state = self.picture(pictures).tanh().unsqueeze(0)
        hidden, _ = self.rnn(self.words(tokens), state.contiguous())
        return self.head(hidden)
