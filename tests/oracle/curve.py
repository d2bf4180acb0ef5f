#!/usr/bin/env python3
"""Gait's training curve is PyTorch's: same initialisation, same batches, the same loss at every step.

    curve.py GAIT [ROOT]      compare the program; the last line is one JSON object; 1 when the curves part
    curve.py --self-test      a good program passes and wrong ones fail
    curve.py --spread         how far apart two equally good PyTorch programs are

A GPT-2 and a Llama of 4 layers x 128, initialised by transformers, learn 300 steps of the characters of Shakespeare with
AdamW, in f32 and in bf16 (PyTorch: autocast). The text is ROOT/../shared/data/tinyshakespeare.txt; without it nothing is
compared: the script says so and ends with 77.
"""
import argparse
import json
import math
import os
import sys
import tempfile

import torch

from oracle_models import Shape, build, save_tokens
from product import Failed, Fake, Product, read_losses
from torch_training import AdamW, Batches, train

STEPS, ROWS, CONTEXT = 300, 8, 128
OPTIMIZER = AdamW(rate=1e-3, beta2=0.95, clip=1.0)
LARGEST = {"f32": 2e-3, "bf16": 2e-2}  # nats, at any step
MEAN = {"f32": 2e-3, "bf16": 2e-3}  # of the differences with their signs


def shapes(vocab):
    common = dict(layers=4, heads=4, width=128, context=CONTEXT, vocab=vocab)
    return {"gpt2": Shape("gpt2", **common), "llama": Shape("llama", kv_heads=2, hidden=344, tied=False, **common)}


def read_text(root):
    """Tokens and the number of different ones, or None where the text is absent."""
    path = os.path.join(root, "..", "shared", "data", "tinyshakespeare.txt")
    if not os.path.exists(path):
        print(f"skipped: there is no {path}")
        return None
    with open(path, encoding="utf-8") as f:
        text = f.read()
    place = {c: i for i, c in enumerate(sorted(set(text)))}
    return torch.tensor([place[c] for c in text]), len(place)


def new_model(shape, attention=None):
    torch.manual_seed(7)
    return build(shape, attention)


def torch_curve(shape, tokens, precision, attention=None, threads=1):
    torch.set_num_threads(threads)
    return train(new_model(shape, attention), Batches(tokens, ROWS, CONTEXT), STEPS, OPTIMIZER, precision)


def product_curve(product, shape, tokens, precision, folder):
    new_model(shape).save_pretrained(f"{folder}/hf")
    save_tokens(f"{folder}/data", tokens, shape.vocab)
    o = OPTIMIZER
    product.train(f"{folder}/run", dict(
        init_from=f"{folder}/hf", dataset=f"{folder}/data", shuffle=False, context=CONTEXT, precision=precision,
        batch_size=ROWS, steps=STEPS, learning_rate=o.rate, min_learning_rate=0.0, schedule="constant", warmup_steps=0,
        weight_decay=o.decay, beta1=o.beta1, beta2=o.beta2, adam_epsilon=o.epsilon, gradient_clip=o.clip, dropout=0.0,
        threads=2, log_interval=1, log_dir=f"{folder}/run", eval_interval=0, eval_batches=1))
    return read_losses(f"{folder}/run", STEPS)


def compare(label, precision, ours, theirs):
    """Prints a line; (largest, mean difference, within the limits)."""
    d = [a - b for a, b in zip(ours, theirs)]
    largest, mean = max(d, key=lambda x: math.inf if math.isnan(x) else abs(x)), sum(d) / len(d)
    good = all(abs(x) <= LARGEST[precision] for x in d) and abs(mean) < MEAN[precision]
    print(f"{label:24} {precision:4}  loss {theirs[0]:.3f} -> {theirs[-1]:.3f}   largest difference {abs(largest):.1e} at "
          f"step {d.index(largest) + 1} (allowed {LARGEST[precision]:.0e})   mean {mean:+.1e} (allowed "
          f"{MEAN[precision]:.0e})   {'good' if good else 'BAD'}", flush=True)
    return abs(largest), mean, good


def run(product, text, families=("gpt2", "llama"), precisions=("f32", "bf16"), reference=None):
    """Every curve compared; (result for the JSON line, all good)."""
    tokens, vocab = text
    result, all_good = {}, True
    for family in families:
        shape = shapes(vocab)[family]
        for precision in precisions:
            theirs = (reference or {}).get((family, precision)) or torch_curve(shape, tokens, precision)
            with tempfile.TemporaryDirectory() as folder:
                try:
                    ours = product_curve(product, shape, tokens, precision, folder)
                except Failed as error:
                    print(f"{family} {precision} FAILED: {error}")
                    ours = [math.nan] * STEPS
            largest, mean, good = compare(f"{family}", precision, ours, theirs)
            for key, value in (("largest", largest), ("mean", mean)):
                result[f"{family}_{precision}_{key}"] = float(f"{value:.3g}") if math.isfinite(value) else None
            all_good &= good
    return result, all_good


def spread(text):
    tokens, vocab = text
    for family, shape in shapes(vocab).items():
        for precision in ("f32", "bf16"):
            theirs = torch_curve(shape, tokens, precision)
            compare(f"{family}: 2 threads", precision, torch_curve(shape, tokens, precision, threads=2), theirs)
            compare(f"{family}: other attention", precision, torch_curve(shape, tokens, precision, "eager"), theirs)
    return 0


def self_test(text):
    tokens, vocab = text
    reference = {("gpt2", p): torch_curve(shapes(vocab)["gpt2"], tokens, p) for p in ("f32", "bf16")}
    good = run(Fake(), text, ("gpt2",), reference=reference)[1]
    for fault in ("missed-transpose", "stale-weights", "no-bias-correction", "no-clip", "frozen-layer"):
        print(f"fault: {fault}")
        good &= not run(Fake(fault), text, ("gpt2",), ("f32",), reference)[1]
    print("self-test passed" if good else "self-test FAILED")
    return 0 if good else 1


def main():
    a = argparse.ArgumentParser(description=__doc__.splitlines()[0], epilog=__doc__.split("\n", 2)[2],
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("gait", nargs="?", help="the program")
    a.add_argument("root", nargs="?", default=".", help="of the source tree")
    a.add_argument("--self-test", action="store_true", help="test this test")
    a.add_argument("--spread", action="store_true", help="PyTorch against PyTorch")
    o = a.parse_args()
    if not (o.gait or o.self_test or o.spread):
        a.error("which program? build/gait")
    text = read_text(o.root)
    if text is None:
        return 77
    if o.self_test or o.spread:
        return self_test(text) if o.self_test else spread(text)
    result, good = run(Product(o.gait), text)
    print(json.dumps(result))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
