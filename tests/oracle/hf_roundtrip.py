#!/usr/bin/env python3
"""transformers and Gait use each other's models: the same logits, the same 200 greedy tokens.

    hf_roundtrip.py GAIT

For both families: a directory that transformers saved is sampled by Gait as it is; then Gait trains a few steps from it,
exports, and transformers loads the export. Each time the logits of a prompt differ by at most 1e-4 and 200 greedy tokens
are the same. The last line is one JSON object; 1 when something differs.
"""
import json
import os
import sys
import tempfile

import torch
from safetensors.torch import load_file
from transformers import AutoModelForCausalLM

from oracle_models import Shape, build, fill, save_tokens
from product import Product

LOGITS_MAX, TOKENS = 1e-4, 200
PROMPT = [3, 14, 15, 92, 65, 35]
COMMON = dict(layers=3, heads=6, width=48, context=256, vocab=97)
SHAPES = {
    "gpt2": Shape("gpt2", **COMMON),
    "llama, grouped heads, own head": Shape("llama", kv_heads=2, hidden=80, tied=False, **COMMON),
    "llama, tied, llama3's angles": Shape("llama", kv_heads=6, hidden=80, tied=True, rope_scaling=True, **COMMON),
}


def theirs(folder):
    """transformers' logits of the prompt, and its greedy tokens."""
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    prompt = torch.tensor([PROMPT])
    with torch.no_grad():
        logits = model(prompt).logits[0]
        ids = model.generate(prompt, max_new_tokens=TOKENS, do_sample=False, use_cache=True,
                             eos_token_id=None, pad_token_id=0)[0]
    return logits, ids.tolist()


def ours(product, source, folder):
    file = f"{folder}/logits.safetensors"
    said = product.run("sample", source, "--prompt-ids", ",".join(map(str, PROMPT)), "--tokens", TOKENS,
                       "--temperature", 0, "--print-ids", "--ignore-stop", "--logits", file)
    return load_file(file)["logits"], [int(i) for i in said.strip().split(",")]


def compare(label, product, source, exported, folder):
    logits, ids = ours(product, source, folder)
    want, want_ids = theirs(exported)
    difference = (logits - want).abs().max().item()
    same = sum(1 for a, b in zip(ids, want_ids) if a == b)
    good = difference <= LOGITS_MAX and ids == want_ids and len(ids) == len(PROMPT) + TOKENS
    different = len(set(ids[len(PROMPT):]))
    print(f"{label:52} logits {difference:.1e}   tokens the same {same - len(PROMPT)} of {TOKENS} "
          f"({different} different ones)   {'good' if good else 'BAD'}", flush=True)
    return difference, good


def main():
    if len(sys.argv) < 2 or sys.argv[1] in ("-h", "--help"):
        print(__doc__)
        return 2
    product, worst, good = Product(sys.argv[1]), 0.0, True
    for name, shape in SHAPES.items():
        with tempfile.TemporaryDirectory() as folder:
            fill(build(shape), shape, seed=5, std=0.2).save_pretrained(f"{folder}/hf")
            pairs = [(f"{name}: their save", f"{folder}/hf", f"{folder}/hf")]
            tokens = torch.randint(0, shape.vocab, (20000,), generator=torch.Generator().manual_seed(3))
            save_tokens(f"{folder}/data", tokens, shape.vocab)
            product.train(f"{folder}/run", dict(
                init_from=f"{folder}/hf", dataset=f"{folder}/data", context=64, batch_size=4, steps=5, warmup_steps=0,
                learning_rate=1e-3, eval_interval=0, eval_batches=1, checkpoint_dir=f"{folder}/ckpt"))
            product.run("export", f"{folder}/ckpt", "--hf", f"{folder}/out")
            pairs.append((f"{name}: our export after training", f"{folder}/ckpt", f"{folder}/out"))
            product.run("export", f"{folder}/ckpt", "--hf", f"{folder}/shards", "--max-shard-size", "40KB")
            assert os.path.exists(f"{folder}/shards/model.safetensors.index.json"), "no shards were written"
            pairs.append((f"{name}: our export in shards, sampled", f"{folder}/shards", f"{folder}/shards"))
            for label, source, exported in pairs:
                difference, fine = compare(label, product, source, exported, folder)
                worst, good = max(worst, difference), good and fine
    print(json.dumps({"models": 3 * len(SHAPES), "logits_worst": worst, "greedy_tokens": TOKENS, "good": good}))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
