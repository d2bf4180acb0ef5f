import torch
import torch.nn.functional as F

model = Net().to("cuda")
for x, lengths in loader:
    scores = model.score(x)
    # no tensor of a device has numpy()
    order = scores.detach().numpy().argsort()
    longest = lengths.max().item()
    loss = F.cross_entropy(model(x.cuda())[:, :longest], x[order].cuda())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    best = scores.max().item()
    for name, length in zip(names, lengths):
        print(name, length.item())
    for length, place in zip(*lengths.sort(descending=True)):
        print(length.item(), place.item())
    for sample in small_dataset:
        print(sample["label"].item())
    kept = torch.empty_like(lengths)
    print(kept.sum().item(), best)
