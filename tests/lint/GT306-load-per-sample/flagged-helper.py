import json
import os

import h5py
import torch
from torch.utils.data import Dataset


class Clips(Dataset):
    def __init__(self, root):
        self.root = root

    def captions(self):
        return json.load(open(os.path.join(self.root, "captions.json")))  # expect

    def __getitem__(self, i):
        with h5py.File(os.path.join(self.root, "clips.h5"), "r") as clips:  # expect
            return clips["video"][i], self.captions()[i]
