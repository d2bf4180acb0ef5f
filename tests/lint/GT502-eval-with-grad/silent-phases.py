import torch
import torch.nn.functional as F

for epoch in range(epochs):
    for phase in ["train", "val"]:
        for x, y in loaders[phase]:
            with torch.set_grad_enabled(phase == "train"):
                loss = F.cross_entropy(model(x), y)
            if phase == "train":
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
