import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader, IterableDataset
from torchvision import datasets, models, transforms


class Shards(IterableDataset):
    def __iter__(self):
        for path in self.paths:
            yield from torch.load(path)


train_set = Shards()
loader = DataLoader(train_set, batch_size=256)

model = models.resnet18().cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(90):
    for x, y in loader:
        loss = F.cross_entropy(model(x.cuda()), y.cuda())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
