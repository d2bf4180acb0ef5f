import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Sounds(Dataset):
    def __getitem__(self, i):
        x = self.sounds[i]
        # the sample's own work, once
        return torch.cat([x, torch.zeros(self.length - len(x))])


def pad_batch(batch):
    longest = max(len(x) for x in batch)
    filled = np.zeros((len(batch), longest), dtype=np.float32)
    for i, x in enumerate(batch):
        filled[i, : len(x)] = x
    whole = np.pad(filled, ((0, 0), (0, 1)))
    grown = np.zeros((0, longest))
    for x in batch:
        grown = np.concatenate([grown, x])
    pairs = [np.concatenate([x[:1], x[-1:]]) for x in batch]
    return torch.from_numpy(whole), np.stack(pairs)


def summary(sentences):
    for x in sentences:
        print(np.concatenate([x, np.zeros(3)]))


loader = DataLoader(Sounds(), batch_size=32, collate_fn=pad_batch)
