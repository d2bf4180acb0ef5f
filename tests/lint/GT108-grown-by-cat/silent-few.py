import numpy as np
import torch
from torch import nn


class Crops(nn.Module):
    def forward(self, crops, ends):
        output = torch.empty(0, device=crops[0].device)
        # a few sizes, whatever the batch
        for begin, end in ends:
            output = torch.cat((output, self.backbone(torch.cat(crops[begin:end]))))
        return output


def sample(model, tokens, n):
    # each token needs all before it
    for i in range(n):
        next_token = model(tokens)[:, -1:].argmax(-1)
        tokens = torch.cat([tokens, next_token], 1)
    return tokens


def names_of(files):
    names = np.empty(0)
    for file in files:
        names = np.append(names, np.load(file))
    return names
