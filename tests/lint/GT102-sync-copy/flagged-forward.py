import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(64, 64)

    def to_gpu(self):
        return self.to("cuda")

    def forward(self, x, lengths):
        packed = nn.utils.rnn.pack_padded_sequence(x, lengths.cpu())  # needed at once
        counts = torch.bincount(lengths).tolist()  # expect
        return self.lstm(packed), counts
