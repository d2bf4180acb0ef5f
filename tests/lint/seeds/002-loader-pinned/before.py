import io

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from PIL import Image
from torch.utils.data import DataLoader, Dataset

device = "cuda" if torch.cuda.is_available() else "cpu"


class Pictures(Dataset):
    """Encoded pictures, decoded one by one as from files."""

    def __init__(self, count):
        rng = np.random.default_rng(0)
        self.files, self.labels = [], rng.integers(0, 10, count)
        for _ in range(count):
            file = io.BytesIO()
            Image.fromarray(rng.integers(0, 256, (32, 32, 3), dtype=np.uint8)).save(file, "PNG")
            self.files.append(file.getvalue())

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        picture = np.asarray(Image.open(io.BytesIO(self.files[i])).convert("RGB"), dtype=np.float32)
        return torch.from_numpy(picture).permute(2, 0, 1) / 255, int(self.labels[i])


def train(num_epochs, num_workers):
    train_loader = DataLoader(  # expect GT302
        Pictures(256),
        batch_size=64,
        shuffle=True,
        num_workers=num_workers,
        persistent_workers=True,
    )
    model = nn.Sequential(nn.Conv2d(3, 16, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, 10))
    model = model.to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(num_epochs):
        total = torch.zeros((), device=device)
        for images, labels in train_loader:
            images = images.to(device, non_blocking=True)
            labels = labels.to(device, non_blocking=True)
            optimizer.zero_grad(set_to_none=True)
            with torch.autocast(device, dtype=torch.bfloat16):
                loss = F.cross_entropy(model(images), labels)
            loss.backward()
            optimizer.step()
            total += loss.detach()
        print(f"epoch {epoch} loss {total.item() / len(train_loader):.3f}")


if __name__ == "__main__":
    torch.manual_seed(0)
    train(num_epochs=2, num_workers=2)
