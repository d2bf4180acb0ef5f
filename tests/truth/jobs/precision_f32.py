"""A classifier of wide layers."""
import torch
import torch.nn.functional as F

from models import MLP
from training import arguments, labelled_vectors, log


def main():
    args = arguments(batch=(256, 4), width=(768, 32), layers=(4, 2))
    torch.manual_seed(0)
    model = MLP(256, args.width, args.layers, classes=64)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
    for step, (x, y) in enumerate(labelled_vectors(args, 256, 64), 1):
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
