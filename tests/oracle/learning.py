#!/usr/bin/env python3
"""Gait learns what PyTorch learns: tinyshakespeare by characters, 6 layers x 384, three seeds each.

    learning.py GAIT [ROOT] [--steps N] [--seeds N] [--precision f32|bf16] [--threads N]

Each side begins from its own random weights (GPT-2's initialisation) and draws its own batches; sizes, optimizer, schedule and
the number of steps are the same, and both are scored on the same validation windows. Runs alternate. The means must differ by no
more than the spread: twice the standard error of the difference of the two means, but 0.01 nats at least, since a standard error
from three seeds may be small by luck. The last line is one JSON object; 1 when they differ. The text is ROOT/../shared/data/tinyshakespeare.txt; without it the script says so and ends with 77.
"""
import argparse
import contextlib
import json
import math
import os
import statistics
import sys
import tempfile
import time

import numpy
import torch
from transformers import GPT2Config, GPT2LMHeadModel

from product import Product
from torch_training import rate_at

ROWS, CONTEXT, WARMUP = 16, 64, 20
RATE, LEAST, DECAY, BETAS, CLIP = 1e-3, 1e-4, 0.1, (0.9, 0.99), 1.0
ALLOWED_NATS = 0.01


def read_tokens(root):
    path = os.path.join(root, "..", "shared", "data", "tinyshakespeare.txt")
    if not os.path.exists(path):
        print(f"skipped: there is no {path}")
        sys.exit(77)
    with open(path, encoding="utf-8") as f:
        text = f.read()
    place = {c: i for i, c in enumerate(sorted(set(text)))}
    tokens = numpy.array([place[c] for c in text], dtype="<u2")
    cut = len(tokens) * 9 // 10
    return tokens[:cut], tokens[cut:], len(place)


def windows(tokens):
    """Every whole window, and the token after each of its tokens."""
    n = (len(tokens) - 1) // CONTEXT
    flat = torch.from_numpy(tokens.astype("int64"))
    return flat[:n * CONTEXT].view(n, CONTEXT), flat[1:n * CONTEXT + 1].view(n, CONTEXT)


def torch_run(train, validation, vocab, seed, o):
    torch.manual_seed(seed)
    torch.set_num_threads(o.threads)
    model = GPT2LMHeadModel(GPT2Config(vocab_size=vocab, n_positions=CONTEXT, n_embd=384, n_layer=6, n_head=6,
                                       resid_pdrop=0, embd_pdrop=0, attn_pdrop=0, use_cache=False))
    groups = [{"params": [p for p in model.parameters() if p.dim() > 1], "weight_decay": DECAY},
              {"params": [p for p in model.parameters() if p.dim() <= 1], "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, lr=RATE, betas=BETAS, eps=1e-8)
    flat = torch.from_numpy(train.astype("int64"))

    def autocast():
        return torch.autocast("cpu", torch.bfloat16) if o.precision == "bf16" else contextlib.nullcontext()

    def loss_of(x, y):
        with autocast():
            logits = model(x).logits
        return torch.nn.functional.cross_entropy(logits.float().view(-1, vocab), y.reshape(-1))

    for step in range(o.steps):
        at = torch.randint(0, len(flat) - CONTEXT - 1, (ROWS,))
        x = torch.stack([flat[i:i + CONTEXT] for i in at])
        y = torch.stack([flat[i + 1:i + CONTEXT + 1] for i in at])
        for group in optimizer.param_groups:
            group["lr"] = rate_at(step, o.steps, RATE, LEAST, WARMUP)
        optimizer.zero_grad()
        loss_of(x, y).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), CLIP)
        optimizer.step()
    x, y = windows(validation)
    with torch.no_grad():
        parts = [(loss_of(x[i:i + 64], y[i:i + 64]).item(), len(x[i:i + 64])) for i in range(0, len(x), 64)]
    return sum(loss * n for loss, n in parts) / sum(n for _, n in parts)


def gait_run(product, data, folder, seed, o):
    said = product.train(f"{folder}/run-{seed}", dict(
        layers=6, heads=6, width=384, context=CONTEXT, batch_size=ROWS, steps=o.steps, warmup_steps=WARMUP,
        learning_rate=RATE, min_learning_rate=LEAST, weight_decay=DECAY, beta1=BETAS[0], beta2=BETAS[1],
        gradient_clip=CLIP, dataset=data, seed=seed, precision=o.precision, threads=o.threads, eval_interval=0,
        eval_batches=100000), "--json", "--quiet")
    return json.loads(said)["validation_loss"]


def main():
    a = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    a.add_argument("gait")
    a.add_argument("root", nargs="?", default=".")
    a.add_argument("--steps", type=int, default=300)
    a.add_argument("--seeds", type=int, default=3)
    a.add_argument("--threads", type=int, default=2)
    a.add_argument("--precision", choices=["f32", "bf16"], default="f32")
    o = a.parse_args()
    train, validation, vocab = read_tokens(o.root)
    product, losses = Product(o.gait), {"gait": [], "torch": []}
    with tempfile.TemporaryDirectory() as folder:
        os.makedirs(f"{folder}/data")
        train.tofile(f"{folder}/data/train.bin")
        validation.tofile(f"{folder}/data/val.bin")
        with open(f"{folder}/data/meta.json", "w") as f:
            json.dump({"vocab_size": vocab}, f)
        for seed in range(1, o.seeds + 1):
            for side, run in (("torch", lambda: torch_run(train, validation, vocab, seed, o)),
                              ("gait", lambda: gait_run(product, f"{folder}/data", folder, seed, o))):
                begin = time.monotonic()
                losses[side].append(run())
                print(f"seed {seed}  {side:5}  validation {losses[side][-1]:.4f}   {time.monotonic() - begin:.0f} s",
                      flush=True)
    mean = {side: statistics.mean(v) for side, v in losses.items()}
    error = math.sqrt(sum(statistics.variance(v) / len(v) for v in losses.values()))
    good = abs(mean["gait"] - mean["torch"]) <= max(2 * error, ALLOWED_NATS)
    print(f"gait {mean['gait']:.4f}, PyTorch {mean['torch']:.4f}: {mean['gait'] - mean['torch']:+.4f}, "
          f"standard error of the difference {error:.4f}: {'the same' if good else 'NOT the same'}")
    print(json.dumps({"gait": round(mean["gait"], 5), "torch": round(mean["torch"], 5),
                      "difference": round(mean["gait"] - mean["torch"], 5), "standard_error": round(error, 5),
                      "steps": o.steps, "seeds": o.seeds, "good": good}))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
