# select GT205
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

device = "cuda" if torch.cuda.is_available() else "cpu"


class Trajectories(Dataset):
    def __init__(self, count):
        rng = np.random.default_rng(0)
        self.items = [
            {"states": rng.standard_normal((length, 8)).astype(np.float32), "label": int(length % 4)}
            for length in rng.integers(4, 20, count)
        ]

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i]


def collate(batch):
    max_len = max(len(item["states"]) for item in batch)
    res = {"labels": torch.tensor([item["label"] for item in batch])}
    states_list = []
    for item in batch:
        states_padded = item["states"]
        pad_len = max_len - len(states_padded)
        if pad_len > 0:
            states_padded = np.concatenate([item["states"], np.zeros((pad_len, 8), dtype=np.float32)])  # expect GT305
        states_list.append(states_padded)
    res["states"] = torch.tensor(np.stack(states_list), dtype=torch.float32)  # expect GT205
    return res


def main(num_workers):
    torch.manual_seed(0)
    loader = DataLoader(
        Trajectories(512),
        batch_size=32,
        shuffle=True,
        collate_fn=collate,
        num_workers=num_workers,
        persistent_workers=num_workers > 0,
        pin_memory=device == "cuda",
    )
    model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 4)).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step, batch in enumerate(loader):
        states = batch["states"].to(device, non_blocking=True)
        labels = batch["labels"].to(device, non_blocking=True)
        optimizer.zero_grad()
        loss = F.cross_entropy(model(states).mean(dim=1), labels)
        loss.backward()
        optimizer.step()
        if step % 10 == 0:
            print(f"step {step} loss {loss.item():.3f}")


if __name__ == "__main__":
    main(num_workers=2)
