"""Many faces told apart on several processes; how many are right is known at every moment."""
import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel

from training import arguments, labelled_vectors, log

INPUTS = 256


class Residual(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.net = nn.Sequential(nn.LayerNorm(width), nn.Linear(width, 2 * width), nn.SiLU(), nn.Linear(2 * width, width))

    def forward(self, x):
        return x + self.net(x)


def network(args):
    return nn.Sequential(
        nn.Linear(INPUTS, args.width), *(Residual(args.width) for _ in range(args.layers)), nn.Linear(args.width, args.faces))


class Accuracy:
    """How many faces were named rightly by this process; the others' are as many and as hard."""

    def __init__(self):
        self.right = self.seen = 0

    def add(self, logits, faces):
        self.right += (logits.argmax(1) == faces).sum()
        self.seen += len(faces)

    def value(self):
        return int(self.right) / self.seen


def main():
    args = arguments(batch=(768, 4), width=(256, 16), layers=(3, 2), faces=(800, 20))
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    model = DistributedDataParallel(network(args))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
    accuracy = Accuracy()
    for step, (x, faces) in enumerate(labelled_vectors(args, INPUTS, args.faces), 1):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            logits = model(x).float()
        loss = F.cross_entropy(logits, faces)
        accuracy.add(logits.detach(), faces)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)
    if dist.get_rank() == 0:
        print(f"right: {accuracy.value():.3f}")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
