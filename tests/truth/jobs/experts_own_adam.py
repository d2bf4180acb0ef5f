"""A mixture of experts on vectors, with an optimizer from another project."""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F

from training import arguments, labelled_vectors, log

INPUTS, CLASSES = 512, 64


class AdamWeightDecay(torch.optim.Optimizer):
    """Adam whose weight decay does not go through the moments."""

    def __init__(self, parameters, lr, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.01):
        super().__init__(parameters, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            lr, (beta1, beta2) = group["lr"], group["betas"]
            for p in group["params"]:
                if p.grad is None:
                    continue
                state = self.state[p]
                if not state:
                    state["step"] = 0
                    state["mean"], state["square"] = torch.zeros_like(p), torch.zeros_like(p)
                state["step"] += 1
                mean, square = state["mean"], state["square"]
                p.mul_(1 - lr * group["weight_decay"])
                mean.mul_(beta1).add_(p.grad, alpha=1 - beta1)
                square.mul_(beta2).addcmul_(p.grad, p.grad, value=1 - beta2)
                scale = math.sqrt(1 - beta2 ** state["step"])
                p.addcdiv_(mean, square.sqrt().div_(scale).add_(group["eps"]), value=-lr / (1 - beta1 ** state["step"]))


class Experts(nn.Module):
    """Every expert looks at every vector; a gate says whom to believe."""

    def __init__(self, width, experts):
        super().__init__()
        self.gate = nn.Linear(INPUTS, experts)
        self.experts = nn.ModuleList(
            nn.Sequential(nn.Linear(INPUTS, width), nn.ReLU(), nn.Linear(width, CLASSES)) for _ in range(experts))

    def forward(self, x):
        answers = torch.stack([expert(x) for expert in self.experts], 1)
        return (self.gate(x).softmax(-1).unsqueeze(2) * answers).sum(1)


def main():
    args = arguments(batch=(1280, 4), width=(1024, 16), experts=(8, 3))
    torch.manual_seed(0)
    model = Experts(args.width, args.experts)
    optimizer = AdamWeightDecay(model.parameters(), lr=1e-3, weight_decay=0.05)
    for step, (x, y) in enumerate(labelled_vectors(args, INPUTS, CLASSES), 1):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            logits = model(x)
        loss = F.cross_entropy(logits.float(), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
