import numpy as np
import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader


def pad_batch(batch):
    longest = max(len(x) for x, _ in batch)
    features, masks = [], []
    for x, _ in batch:
        missing = longest - len(x)
        features.append(np.concatenate([x, np.zeros((missing, x.shape[1]))]))  # expect
        masks.append(torch.cat((torch.zeros(missing), torch.ones(len(x)))))  # expect
    return np.stack(features), torch.stack(masks), [y for _, y in batch]


def pad_tokens(batch):
    longest = max(map(len, batch))
    rows = [torch.cat([torch.full((longest - len(x),), 7), x]) for x in batch]  # expect
    return torch.stack(rows)


class Series:
    def loader(self, data):
        return DataLoader(data, batch_size=32, collate_fn=self.collate)

    def collate(self, batch):
        values, marks = [], []
        for x in batch:
            filler = np.zeros((self.length - len(x), 3))
            values.append(np.vstack([x, filler]))  # expect
            marks.append(np.pad(np.ones(len(x)), (0, self.length - len(x))))  # expect
        means = [F.pad(x.mean(1), (0, self.length - len(x))) for x in batch]  # expect
        return np.stack(values), np.stack(marks), torch.stack(means)


loader = DataLoader(recordings, batch_size=32, collate_fn=pad_batch)
texts = DataLoader(sentences, batch_size=32, collate_fn=pad_tokens)
