import numpy as np
import torch

model = torch.nn.Linear(8, 2).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def collate(batch):
    lengths = torch.tensor([len(row) for row in batch])
    means = torch.tensor([np.mean(row) for row in batch])
    rows = torch.from_numpy(np.stack(batch))
    return rows, lengths, means


for x, y in torch.utils.data.DataLoader(rows, collate_fn=collate):
    sizes = torch.tensor([x.size(0), x.size(1)])
    labels = torch.tensor([int(c) for c in y])
    model(x.cuda()).sum().backward()
    optimizer.step()
    optimizer.zero_grad()
