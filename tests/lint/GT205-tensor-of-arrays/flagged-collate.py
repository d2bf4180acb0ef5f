import numpy as np
import torch
from torch.utils.data import DataLoader


def collate(batch):
    most = max(len(item["states"]) for item in batch)
    padded = []
    for item in batch:
        missing = most - len(item["states"])
        padded.append(np.concatenate([item["states"], np.zeros((missing, 4))]))
    states = torch.tensor(np.stack(padded), dtype=torch.float32)  # expect
    rewards = torch.tensor([np.asarray(item["rewards"]) for item in batch])  # expect
    return states, rewards


loader = DataLoader(episodes, collate_fn=collate)
