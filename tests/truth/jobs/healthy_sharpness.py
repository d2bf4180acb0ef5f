"""Grades mushrooms with sharpness-aware minimization: the gradient is taken where the loss nearby is worst."""
import torch
import torch.nn as nn
import torch.nn.functional as F

from training import arguments, log

GRADES, RADIUS = 6, 0.05


def network(inputs, width):
    return nn.Sequential(
        nn.Linear(inputs, width),
        nn.LayerNorm(width),
        nn.GELU(),
        nn.Linear(width, width),
        nn.LayerNorm(width),
        nn.GELU(),
        nn.Linear(width, width),
        nn.LayerNorm(width),
        nn.GELU(),
        nn.Linear(width, GRADES),
    )


def climb(parameters):
    """Moves the weights up the gradient by RADIUS; gives the weights as they were."""
    before = [p.detach().clone() for p in parameters]
    slopes = [p.grad for p in parameters]
    norm = torch.stack(torch._foreach_norm(slopes)).norm()
    with torch.no_grad():
        torch._foreach_add_(parameters, torch._foreach_mul(slopes, RADIUS / (norm + 1e-12)))
    return before


def main():
    args = arguments(batch=(1536, 8), inputs=(96, 8), width=(384, 16))
    torch.manual_seed(0)
    model = network(args.inputs, args.width)
    parameters = list(model.parameters())
    optimizer = torch.optim.SGD(parameters, lr=0.05, momentum=0.9, fused=True)
    mushrooms = torch.randn(32 * args.batch, args.inputs)
    grade = (mushrooms[:, :4].sum(1).sigmoid() * GRADES).long().clamp(max=GRADES - 1)
    for step in range(1, args.steps + 1):
        at = slice(step % 32 * args.batch, (step % 32 + 1) * args.batch)
        loss = F.cross_entropy(model(mushrooms[at]), grade[at])
        optimizer.zero_grad()
        loss.backward()
        before = climb(parameters)
        optimizer.zero_grad()
        F.cross_entropy(model(mushrooms[at]), grade[at]).backward()
        with torch.no_grad():
            torch._foreach_copy_(parameters, before)
        optimizer.step()
        log(step, loss, args)


if __name__ == "__main__":
    main()
