import numpy as np
import pandas as pd
import torch
from torch.utils.data import Dataset


class Features(Dataset):
    """Each sample has a file of its own."""

    def __init__(self, folder, names):
        self.folder, self.names = folder, names
        self.labels = pd.read_csv(folder + "/labels.csv")

    def __getitem__(self, i):
        name = self.names[i]
        return torch.load(f"{self.folder}/{name}.pt"), np.load(self.folder + name), self.labels.iloc[i]
