import h5py
import numpy as np
from torch.utils.data import Dataset


class Clips(Dataset):
    """Opened once per worker; mapped, not read."""

    def __init__(self, path):
        self.path = path
        self.file = None

    def __getitem__(self, i):
        if self.file is None:
            self.file = h5py.File(self.path, "r")
        tokens = np.load(self.path + ".npy", mmap_mode="r")
        return self.file["video"][i], tokens[i]
