import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader
from torchvision import datasets, models, transforms

train_set = datasets.ImageFolder("train", transforms.ToTensor())
loader = DataLoader(train_set, batch_size=256, shuffle=True, num_workers=8)
model = models.resnet18().cuda()
for epoch in range(90):
    for images, labels in loader:
        # new memory, that no loader has pinned
        x = images.float().cuda()
        y = torch.Tensor(labels).to("cuda")
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
