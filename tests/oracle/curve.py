#!/usr/bin/env python3
"""Gait's training curve is PyTorch's: same initialisation, same batches, the same loss at every step.

    curve.py GAIT [ROOT]               compare the program; the last line is one JSON object; 1 when the curves part
    curve.py --self-test [GAIT] [ROOT] a good program passes; wrong ones fail, and so does GAIT with wrong settings
    --quick                            f32 alone, small models, 60 steps of the text of LICENSE: no other file is needed

A GPT-2 and a Llama of 4 layers x 128, initialised by transformers, learn 300 steps of the characters of Shakespeare with
AdamW, a warm-up and a cosine, in f32 and in bf16 (PyTorch: autocast). The text is ROOT/../shared/data/tinyshakespeare.txt;
without it nothing is compared: the script says so and ends with 77.

Training amplifies rounding: two runs of PyTorch that differ in nothing but the order in which they add part as well, the
farther the longer they train. How far is measured here, in the same run: PyTorch trains each model in several orders
(with 2 threads, with its other attention, with the rows of each batch reversed), and the spread is the largest difference
between any two of these at any step; in bf16 the same training in f32 is one of them, as what rounding to bf16 does to the
curve. The program may differ from PyTorch's default by 1.5 times the spread. Early steps have little to amplify: the same
is therefore asked of the first thirtieth, tenth and third of the steps, where the spread is smaller by orders of magnitude
and a fault stands out. A spread beyond SPREAD_MAX would excuse anything, and fails.

The largest of all steps depends on luck: in bf16 a single step may stand out, by a multiple of the others. How PyTorch itself
fares is therefore printed too: each of its orders judged by the spread of the rest ("torch", the worst of them). CI compares
f32 alone, where rounding moves a loss by some 1e-6 and the smallest planted fault by ten times what is allowed.
"""
import argparse
import itertools
import json
import math
import os
import sys
import tempfile
import time
from dataclasses import dataclass

os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # PyTorch's second thread must not spin where others need the core

import torch

from oracle_models import Shape, build, save_tokens
from product import Failed, Product, read_losses
from torch_training import AdamW, Batches, rate_at, train

RATIO_MAX = 1.5
SPREAD_MAX = {"f32": 1e-2, "bf16": 1.5e-1}  # nats
# Nats; a smaller spread is luck. f32: where a gradient is so near to zero that rounding decides its sign, AdamW moves a weight
# the other way. bf16: a logit near 1 is off by up to 4e-3, and a loss is the mean of some hundred tokens.
SPREAD_MIN = {"f32": 1e-5, "bf16": 1e-4}
OPTIMIZER = AdamW(rate=1e-3, beta2=0.95, clip=1.0)
LEAST_RATE = 1e-4
FAMILIES, PRECISIONS = ("gpt2", "llama"), ("f32", "bf16")


@dataclass(frozen=True)
class Job:
    layers: int
    heads: int
    width: int
    hidden: int  # llama's
    context: int
    rows: int
    steps: int
    warmup: int

    def shape(self, family, vocab):
        common = dict(layers=self.layers, heads=self.heads, width=self.width, context=self.context, vocab=vocab)
        return Shape(family, **common) if family == "gpt2" else Shape(
            family, kv_heads=self.heads // 2, hidden=self.hidden, tied=False, **common)

    def parts(self):
        """Numbers of first steps that are judged each by its own spread."""
        return [max(1, self.steps // n) for n in (30, 10, 3, 1)]


FULL = Job(layers=4, heads=4, width=128, hidden=344, context=64, rows=4, steps=300, warmup=20)
QUICK = Job(layers=2, heads=2, width=64, hidden=172, context=64, rows=4, steps=60, warmup=6)


@dataclass(frozen=True)
class Order:
    """One of the orders in which PyTorch may add."""
    name: str
    attention: str = "sdpa"
    threads: int = 1
    reverse: bool = False


ORDERS = (Order("default"), Order("2 threads", threads=2), Order("eager attention", attention="eager"),
          Order("rows reversed", reverse=True))


class ReversedRows(Batches):
    def of_step(self, step):
        return [(inputs.flip(0), targets.flip(0)) for inputs, targets in super().of_step(step)]


def read_text(root, quick):
    """Tokens and the number of different ones, or None where the text is absent."""
    path = os.path.join(root, "LICENSE") if quick else os.path.join(root, "..", "shared", "data", "tinyshakespeare.txt")
    if not os.path.exists(path):
        print(f"skipped: there is no {path}")
        return None
    with open(path, encoding="utf-8") as f:
        text = f.read()
    while quick and len(text) <= QUICK.rows * QUICK.context * QUICK.steps:
        text += text
    place = {c: i for i, c in enumerate(sorted(set(text)))}
    return torch.tensor([place[c] for c in text]), len(place)


def new_model(shape, attention=None):
    torch.manual_seed(7)
    return build(shape, attention)


def torch_curve(job, shape, tokens, precision, order):
    torch.set_num_threads(order.threads)
    batches = (ReversedRows if order.reverse else Batches)(tokens, job.rows, job.context)
    return train(new_model(shape, order.attention), batches, job.steps, OPTIMIZER, precision,
                 rate=lambda step: rate_at(step, job.steps, OPTIMIZER.rate, LEAST_RATE, job.warmup))


def torch_curves(job, text, families=FAMILIES, precisions=PRECISIONS):
    """The same training in every order, the default first; of bf16 that in f32 too. By family and precision."""
    tokens, vocab = text
    curves = {(f, p): [torch_curve(job, job.shape(f, vocab), tokens, p, order) for order in ORDERS]
              for f, p in itertools.product(families, precisions)}
    for family, precision in curves:
        if precision == "bf16":
            curves[family, precision].append(curves[family, "f32"][0])
    return curves


def product_curve(product, job, shape, tokens, precision, folder, planted=None):
    """planted: settings of the program, or of the model that it reads ("config.KEY"), to be wrong in."""
    planted, o = planted or {}, OPTIMIZER
    new_model(shape).save_pretrained(f"{folder}/hf")
    plant_config(f"{folder}/hf/config.json", {k.removeprefix("config."): v for k, v in planted.items() if "." in k})
    save_tokens(f"{folder}/data", tokens, shape.vocab)
    product.train(f"{folder}/run", dict(
        init_from=f"{folder}/hf", dataset=f"{folder}/data", shuffle=False, context=job.context, precision=precision,
        batch_size=job.rows, steps=job.steps, learning_rate=o.rate, min_learning_rate=LEAST_RATE, schedule="cosine",
        warmup_steps=job.warmup, weight_decay=o.decay, beta1=o.beta1, beta2=o.beta2, adam_epsilon=o.epsilon,
        gradient_clip=o.clip, dropout=0.0, threads=2, log_interval=1, log_dir=f"{folder}/run", eval_interval=0,
        eval_batches=1) | {k: v for k, v in planted.items() if "." not in k})
    return read_losses(f"{folder}/run", job.steps)


def plant_config(path, planted):
    """Keys of config.json; a key may stand in one of its objects."""
    if not planted:
        return
    with open(path) as f:
        config = json.load(f)
    for key, value in planted.items():
        holders = [d for d in [config, *config.values()] if isinstance(d, dict) and key in d]
        if not holders:
            raise Failed(f"{path} has no {key}")
        holders[0][key] = value
    with open(path, "w") as f:
        json.dump(config, f)


def largest(a, b, n):
    """The largest difference of the first n steps; a loss that is no number is infinitely far."""
    return max(abs(x - y) if math.isfinite(x) else math.inf for x, y in zip(a[:n], b[:n]))


@dataclass(frozen=True)
class Comparison:
    """The first n steps: a program against PyTorch's default, and PyTorch against itself."""
    n: int
    deviation: float
    spread: float
    ratio: float


def compare(job, precision, ours, theirs):
    """Each part of the steps."""
    parts = []
    for n in job.parts():
        deviation = largest(ours, theirs[0], n)
        spread = max(largest(a, b, n) for a, b in itertools.combinations(theirs, 2))
        parts.append(Comparison(n, deviation, spread, deviation / max(spread, SPREAD_MIN[precision])))
    return parts


def torch_ratio(job, precision, theirs):
    """The worst ratio of an order of PyTorch that is judged by the others."""
    return max(p.ratio for i in range(1, len(ORDERS))
               for p in compare(job, precision, theirs[i], theirs[:i] + theirs[i + 1:]))


def is_good(precision, parts):
    return all(p.ratio <= RATIO_MAX for p in parts) and parts[-1].spread <= SPREAD_MAX[precision]


def print_parts(family, precision, theirs, parts, by_torch):
    print(f"{family:5} {precision:4}  loss {theirs[0][0]:.3f} -> {theirs[0][-1]:.3f}   " + "   ".join(
        f"steps 1-{p.n}: {p.deviation:.1e} of {p.spread:.1e} = {p.ratio:.2f}" for p in parts)
        + f"   torch {by_torch:.2f}   {'good' if is_good(precision, parts) else 'BAD'}", flush=True)
    if parts[-1].spread > SPREAD_MAX[precision]:
        print(f"    PyTorch differs from itself by more than {SPREAD_MAX[precision]}: this comparison says nothing")


def number(value):
    return float(f"{value:.3g}") if math.isfinite(value) else None


def run(product, job, text, curves, planted=None):
    """Every curve compared; (result for the JSON line, all good). curves: as torch_curves() gives them."""
    tokens, vocab = text
    result, all_good, worst = {}, True, 0.0
    for (family, precision), theirs in curves.items():
        with tempfile.TemporaryDirectory() as folder:
            try:
                ours = product_curve(product, job, job.shape(family, vocab), tokens, precision, folder, planted)
            except Failed as error:
                print(f"{family} {precision} FAILED: {error}")
                ours = [math.nan] * job.steps
        parts, by_torch = compare(job, precision, ours, theirs), torch_ratio(job, precision, theirs)
        print_parts(family, precision, theirs, parts, by_torch)
        ratio, mean = max(p.ratio for p in parts), sum(a - b for a, b in zip(ours, theirs[0])) / job.steps
        for key, value in (("deviation", parts[-1].deviation), ("spread", parts[-1].spread), ("mean", mean),
                           ("ratio", ratio), ("torch_ratio", by_torch)):
            result[f"{family}_{precision}_{key}"] = number(value)
        all_good, worst = all_good and is_good(precision, parts), max(worst, ratio)
    return result | {"worst_ratio": number(worst), "good": all_good}, all_good


def main():
    a = argparse.ArgumentParser(description=__doc__.splitlines()[0], epilog=__doc__.split("\n", 2)[2],
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("gait", nargs="?", help="the program")
    a.add_argument("root", nargs="?", default=".", help="of the source tree")
    a.add_argument("--quick", action="store_true", help="f32 alone, small models, text of LICENSE")
    a.add_argument("--self-test", action="store_true", help="test this test")
    o = a.parse_args()
    if not (o.gait or o.self_test):
        a.error("which program? build/gait")
    job, precisions = (QUICK, ("f32",)) if o.quick else (FULL, PRECISIONS)
    text, begin = read_text(o.root, o.quick), time.monotonic()
    if text is None:
        return 77
    if o.self_test:
        import curve_self_test
        return curve_self_test.self_test(job, text, precisions, Product(o.gait) if o.gait else None)
    print(f"largest difference from PyTorch of PyTorch's own spread = ratio (at most {RATIO_MAX})", flush=True)
    result, good = run(Product(o.gait), job, text, torch_curves(job, text, precisions=precisions))
    print(f"{time.monotonic() - begin:.0f} s")
    print(json.dumps(result))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
