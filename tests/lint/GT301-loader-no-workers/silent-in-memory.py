import numpy as np
import torch
from PIL import Image
from torch.utils.data import DataLoader, TensorDataset

pixels = torch.stack([torch.from_numpy(np.array(Image.open(p))) for p in paths])
train_set = TensorDataset(pixels.cuda(), labels.cuda())
loader = DataLoader(train_set, batch_size=512, shuffle=True)
for x, y in loader:
    loss = model(x, y)
    loss.backward()
    optimizer.step()
