"""Training steps of a transformers model in PyTorch, in f32, under bf16 autocast or in float64."""
import contextlib
import math
from dataclasses import dataclass, replace

import torch
import torch.nn.functional as F

from oracle_models import micro_batch, trained


@dataclass(frozen=True)
class AdamW:
    rate: float = 3e-4
    beta1: float = 0.9
    beta2: float = 0.95
    epsilon: float = 1e-8
    decay: float = 0.1  # of matrices; norms and biases have none
    clip: float = 0.0  # 0 = off


@dataclass(frozen=True)
class Batches:
    tokens: torch.Tensor
    rows: int  # of a micro-batch
    context: int
    accumulation: int = 1

    def of_step(self, step):
        return [micro_batch(self.tokens, step * self.accumulation + i, self.rows, self.context)
                for i in range(self.accumulation)]


def autocast(precision):
    if precision == "bf16":
        return torch.autocast("cpu", dtype=torch.bfloat16)
    return contextlib.nullcontext()


def loss_of(model, inputs, targets, precision):
    """Mean loss. Logits of bf16 are widened before the softmax, as transformers' own loss does."""
    with autocast(precision):
        logits = model(input_ids=inputs).logits
    logits = logits.double() if precision == "f64" else logits.float()
    return F.cross_entropy(logits.flatten(0, 1), targets.flatten())


def backward(model, batches, step, precision):
    """Gradients of a step into .grad; the step's loss."""
    model.zero_grad(set_to_none=True)
    total = 0.0
    for inputs, targets in batches.of_step(step):
        loss = loss_of(model, inputs, targets, precision) / batches.accumulation
        loss.backward()
        total += loss.item()
    return total


def optimizer_of(model, o, fused=False):
    parameters = [p for p, _ in trained(model).values()]
    groups = [{"params": [p for p in parameters if p.dim() > 1], "weight_decay": o.decay},
              {"params": [p for p in parameters if p.dim() <= 1], "weight_decay": 0.0}]
    return torch.optim.AdamW(groups, lr=o.rate, betas=(o.beta1, o.beta2), eps=o.epsilon, fused=fused)


def rate_at(step, steps, rate, least, warmup):
    """A line up to the rate, which step warmup - 1 has, then half a cosine down to the least at the last step."""
    if step < warmup:
        return rate * (step + 1) / warmup
    done = (step - (warmup - 1)) / (steps - warmup)
    return least + (rate - least) * 0.5 * (1 + math.cos(math.pi * done))


def train(model, batches, steps, o, precision, watch=None, rate=None):
    """Train in place; the losses of the steps. watch(gradients by name) is called before each update. rate(step): the
    learning rate; without it the optimizer's at each step."""
    optimizer = optimizer_of(model, o, fused=precision == "f64")
    losses = []
    for step in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = rate(step) if rate else o.rate
        losses.append(backward(model, batches, step, precision))
        if watch:
            watch(values(model, lambda p: p.grad))
        if o.clip:
            torch.nn.utils.clip_grad_norm_([p for p, _ in trained(model).values()], o.clip)
        optimizer.step()
    return losses


def values(model, what):
    """Canonical name -> a copy of what(parameter) with linear weights (outputs, inputs)."""
    return {n: (what(p).detach().T if transposed else what(p).detach()).clone()
            for n, (p, transposed) in trained(model).items()}


def set_values(model, weights):
    """The opposite: weights (outputs, inputs) by canonical name."""
    with torch.no_grad():
        for n, (p, transposed) in trained(model).items():
            p.copy_(weights[n].T if transposed else weights[n])


def step_one(model, batches, o, precision):
    """Gradient and movement of the first step. beta1 = 0 is how the product shows its gradient (as first moment);
    the first step moves the same distance whatever beta1 is."""
    before = values(model, lambda p: p)
    train(model, batches, 1, replace(o, beta1=0.0), precision)
    gradient = values(model, lambda p: p.grad)
    return gradient, difference(values(model, lambda p: p), before)


def many_steps(model, batches, steps, o, precision, watch=None):
    before = values(model, lambda p: p)
    train(model, batches, steps, o, precision, watch)
    return difference(values(model, lambda p: p), before)


def difference(after, before):
    """In float64: what two f32 numbers differ by, f32 may not hold. A name that before lacks, or has in another
    shape, stays as it is."""
    return {n: a.double() - before[n].double() if n in before and before[n].shape == a.shape else a
            for n, a in after.items()}
