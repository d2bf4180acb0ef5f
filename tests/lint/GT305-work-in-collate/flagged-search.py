import numpy as np
import pandas as pd
from torch.utils.data import Dataset


class Visits(Dataset):
    def __init__(self, path):
        self.frame = pd.read_csv(path)
        self.people = self.frame["person"].unique()

    def __getitem__(self, i):
        rows = self.frame[self.frame["person"] == self.people[i]]  # expect
        same = self.frame.loc[self.frame.person == self.people[i]]  # expect
        out = np.zeros((64, 64))
        for y in range(64):  # expect
            for x in range(64):
                out[y, x] = (y - 32) ** 2 + (x - 32) ** 2
        return rows.to_numpy(), same, out
