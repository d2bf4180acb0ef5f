#!/usr/bin/env python3
"""Gait learns as well as PyTorch: the mean validation loss of three seeds each, on the characters of Shakespeare.

    learning.py GAIT [ROOT]           train and compare; the last line is one JSON object; 1 when Gait learns worse
    learning.py --quick GAIT [ROOT]   a smaller model and fewer steps: says that the script works, not more
    learning.py --self-test           prove that the verdict can fail

Both train a GPT-2 of 6 layers x 384 with the same settings but each with its own initialisation, own order of data and
own seeds, in turns, so that a slow minute of the machine hits both. The weights that each leaves are then judged by one
function, in f32, over the whole held-out text. Gait learns worse where its mean is higher than PyTorch's by more than
0.01 nats and by more than twice the standard error of the difference. The text is
ROOT/../shared/data/tinyshakespeare.txt. This takes a quarter of an hour on two cores; it is no part of `make check`.
"""
import argparse
import json
import math
import statistics
import sys
import tempfile
import time

import torch

from curve import read_text
from oracle_models import Shape, build, micro_batch, save_tokens
from product import Failed, Product, read_step
from torch_training import AdamW, backward, loss_of, optimizer_of, set_values, trained

HELD_OUT = 0.1
ALLOWED_NATS = 0.01
OPTIMIZER = AdamW(rate=1e-3, beta2=0.99, clip=1.0)
LOWEST_RATE = 1e-4
SEEDS = (1, 2, 3)


class Plan:
    def __init__(self, quick, precision, vocab):
        self.rows, self.steps, self.warmup = (16, 300, 30) if not quick else (8, 30, 5)
        self.precision = precision
        width = 384 if not quick else 96
        self.shape = Shape("gpt2", layers=6, heads=6, width=width, context=64, vocab=vocab)

    def rate(self, step):
        """A linear warm-up to the peak, then a cosine to the lowest rate at the last step."""
        if step < self.warmup:
            return OPTIMIZER.rate * (step + 1) / self.warmup
        done = (step - self.warmup + 1) / (self.steps - self.warmup)
        return LOWEST_RATE + (OPTIMIZER.rate - LOWEST_RATE) * (1 + math.cos(math.pi * done)) / 2


class RandomBatches:
    """Windows from anywhere, as nanoGPT takes them."""
    accumulation = 1

    def __init__(self, tokens, plan, seed):
        self.tokens, self.plan = tokens, plan
        self.source = torch.Generator().manual_seed(seed)

    def of_step(self, _):
        length = self.plan.shape.context
        begins = torch.randint(0, len(self.tokens) - length, (self.plan.rows,), generator=self.source)
        return [tuple(torch.stack([self.tokens[b + k:b + k + length] for b in begins]) for k in (0, 1))]


@torch.no_grad()
def validation_loss(model, held):
    """Of all whole windows, each token once."""
    length, total, n = model.config.n_positions, 0.0, 0
    rows = 32
    for position in range((len(held) - 1) // (rows * length)):
        total += loss_of(model, *micro_batch(held, position, rows, length), "f32").item()
        n += 1
    return total / n


def torch_run(plan, tokens, held, seed):
    """transformers initialises as nanoGPT does: normal 0.02, the projections back into the stream less."""
    torch.manual_seed(seed)
    model = build(plan.shape)
    optimizer, batches = optimizer_of(model, OPTIMIZER, fused=True), RandomBatches(tokens, plan, seed)
    for step in range(plan.steps):
        for group in optimizer.param_groups:
            group["lr"] = plan.rate(step)
        backward(model, batches, step, plan.precision)
        torch.nn.utils.clip_grad_norm_([p for p, _ in trained(model).values()], OPTIMIZER.clip)
        optimizer.step()
    return validation_loss(model, held)


def gait_run(product, plan, tokens, held, seed):
    s, o = plan.shape, OPTIMIZER
    with tempfile.TemporaryDirectory() as folder:
        save_tokens(f"{folder}/data", tokens, s.vocab, held)
        product.train(folder, dict(
            dataset=f"{folder}/data", model="gpt2", layers=s.layers, heads=s.heads, width=s.width, context=s.context,
            precision=plan.precision, batch_size=plan.rows, steps=plan.steps, learning_rate=o.rate,
            min_learning_rate=LOWEST_RATE, schedule="cosine", warmup_steps=plan.warmup, weight_decay=o.decay,
            beta1=o.beta1, beta2=o.beta2, adam_epsilon=o.epsilon, gradient_clip=o.clip, dropout=0.0, seed=seed,
            threads=2, eval_interval=0, eval_batches=1, checkpoint_dir=f"{folder}/steps",
            checkpoint_interval=plan.steps, resume="never"))
        model = build(s)
        set_values(model, read_step(f"{folder}/steps", plan.steps, "model"))
    return validation_loss(model, held)


def verdict(ours, theirs):
    """(result for the JSON line, Gait is good enough)."""
    if not all(map(math.isfinite, ours + theirs)):
        return {"gait_mean": None, "torch_mean": None, "difference": None}, False
    difference = statistics.mean(ours) - statistics.mean(theirs)
    spread = [statistics.stdev(v) for v in (ours, theirs)]
    error = math.sqrt(sum(s * s / len(ours) for s in spread))
    result = {"gait_mean": statistics.mean(ours), "torch_mean": statistics.mean(theirs), "difference": difference,
              "gait_spread": spread[0], "torch_spread": spread[1], "standard_error": error}
    good = difference <= max(ALLOWED_NATS, 2 * error)
    return {k: round(v, 4) for k, v in result.items()} | {"seeds": len(ours)}, good


def run(product, text, quick, precision):
    torch.set_num_threads(2)
    tokens, vocab = text
    plan = Plan(quick, precision, vocab)
    cut = len(tokens) - round(len(tokens) * HELD_OUT)
    tokens, held = tokens[:cut], tokens[cut:]
    print(f"{plan.shape.layers} x {plan.shape.width}, batch {plan.rows} x {plan.shape.context}, {plan.steps} steps, "
          f"{precision}")
    losses = {"torch": [], "gait": []}
    for seed in SEEDS:
        for name, train in (("torch", lambda: torch_run(plan, tokens, held, seed)),
                            ("gait", lambda: gait_run(product, plan, tokens, held, seed))):
            start = time.monotonic()
            losses[name].append(train())
            print(f"{name:5} seed {seed}: validation loss {losses[name][-1]:.4f} in {time.monotonic() - start:.0f} s",
                  flush=True)
    return verdict(losses["gait"], losses["torch"])


def self_test():
    cases = (([1.50, 1.51, 1.52], [1.50, 1.51, 1.52], True), ([1.40, 1.41, 1.42], [1.50, 1.51, 1.52], True),
             ([1.56, 1.57, 1.58], [1.50, 1.51, 1.52], False), ([1.515, 1.516, 1.517], [1.510, 1.511, 1.512], True),
             ([1.45, 1.55, 1.60], [1.45, 1.50, 1.58], True), ([math.nan, 1.5, 1.5], [1.5, 1.5, 1.5], False))
    good = all(verdict(ours, theirs)[1] == expected for ours, theirs, expected in cases)
    print("self-test passed" if good else "self-test FAILED")
    return 0 if good else 1


def main():
    a = argparse.ArgumentParser(description=__doc__.splitlines()[0], epilog=__doc__.split("\n", 2)[2],
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("gait", nargs="?", help="the program")
    a.add_argument("root", nargs="?", default=".", help="of the source tree")
    a.add_argument("--precision", choices=("f32", "bf16"), default="bf16", help="of both (default bf16)")
    a.add_argument("--quick", action="store_true", help="smaller and shorter")
    a.add_argument("--self-test", action="store_true", help="test this test")
    o = a.parse_args()
    if o.self_test:
        return self_test()
    if not o.gait:
        a.error("which program? build/gait")
    text = read_text(o.root)
    if text is None:
        print(json.dumps({"skipped": "tinyshakespeare.txt is absent"}))
        return 0
    try:
        result, good = run(Product(o.gait), text, o.quick, o.precision)
    except Failed as error:
        print(f"FAILED: {error}")
        return 1
    print(json.dumps(result))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
