"""A mixture of experts on vectors."""
import torch
import torch.nn as nn
import torch.nn.functional as F

from training import arguments, labelled_vectors, log

INPUTS, CLASSES = 512, 64


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
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.05, fused=True)
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
