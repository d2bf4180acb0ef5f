import torch
import torch.nn.functional as F
from torch.nn.utils.rnn import pack_padded_sequence

model = Net().cuda()
for x, lengths, y in loader:
    x, lengths, y = x.cuda(), lengths.cuda(), y.cuda()
    sizes = torch.bincount(y, minlength=8)
    parts = x.split(sizes.tolist())
    packed = pack_padded_sequence(x, lengths.cpu(), batch_first=True)
    longest = lengths.max().cpu().item()
    for i, length in enumerate(lengths.tolist()):
        x[i, :length] = 0
    loss = F.cross_entropy(model(x[:, :longest], packed, parts), y)
    loss.backward()
    optimizer.step()
