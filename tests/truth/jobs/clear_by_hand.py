"""A classifier with large layers and small batches."""
import torch
import torch.nn.functional as F

from models import MLP
from training import arguments, labelled_vectors, log


def main():
    args = arguments(batch=(48, 4), width=(1536, 32), layers=(6, 2))
    torch.manual_seed(0)
    model = MLP(256, args.width, args.layers, classes=64)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, fused=True)
    for step, (x, y) in enumerate(labelled_vectors(args, 256, 64), 1):
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad(set_to_none=False)
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
