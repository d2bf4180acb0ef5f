#!/usr/bin/env python3
"""Models go to Hugging Face's transformers and back without a change.

    hf_roundtrip.py GAIT [ROOT]     compare; the last line is one JSON object; 1 when something differs
    hf_roundtrip.py --self-test     a good program passes and wrong ones fail

For a GPT-2 and a Llama: transformers initialises, GAIT trains a few steps and exports, transformers loads the export;
and transformers saves, GAIT samples from that directly. Each time the logits of a prompt differ by at most 1e-4 and the
200 tokens that greedy sampling adds are the same. Weights are large, so that greedy choices are clear: by how much of a
logit the narrowest one was, is printed.
"""
import argparse
import json
import os
import re
import sys
import tempfile

import torch
import transformers
from safetensors.torch import load_file

from oracle_models import Shape, build, fill, random_tokens, save_tokens
from product import Failed, Fake, Product

LOGIT_LIMIT = 1e-4
TOKENS = 200
PROMPT = [3, 14, 15, 92, 65, 35, 89, 79, 32, 38]

SHAPES = {
    "gpt2": Shape("gpt2", layers=2, heads=4, width=64, context=256, vocab=101),
    "gpt2 untied": Shape("gpt2", layers=2, heads=3, width=48, context=256, vocab=101, tied=False),
    "llama": Shape("llama", layers=2, heads=4, kv_heads=2, width=64, hidden=172, context=256, vocab=101, tied=False,
                   norm_epsilon=1e-6),
    "llama tied, llama3 rope": Shape("llama", layers=2, heads=4, kv_heads=1, width=64, hidden=172, context=256,
                                     vocab=101, rope_theta=500000.0, rope_scaling=True),
}


@torch.no_grad()
def expected(folder):
    """What transformers says of the model in folder: logits of the prompt, the greedy tokens, and how clear the
    narrowest choice was."""
    model = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    ids, narrowest = list(PROMPT), float("inf")
    logits = model(torch.tensor([ids])).logits[0]
    for _ in range(TOKENS):
        best = model(torch.tensor([ids])).logits[0, -1].topk(2)
        narrowest = min(narrowest, (best.values[0] - best.values[1]).item())
        ids.append(best.indices[0].item())
    return logits, ids[len(PROMPT):], narrowest


def sampled(product, source, folder):
    """What the product says of the model in source."""
    path = f"{folder}/logits.safetensors"
    printed = product.run("sample", source, "--prompt-ids", ",".join(map(str, PROMPT)), "--tokens", TOKENS,
                          "--temperature", 0, "--print-ids", "--logits", path)
    ids = [int(i) for i in re.findall(r"\d+", printed)]
    if ids[:len(PROMPT)] == PROMPT:
        ids = ids[len(PROMPT):]
    found = load_file(path)
    os.remove(path)
    if len(found) != 1:
        raise Failed(f"--logits wrote {len(found)} tensors: {', '.join(found)}")
    logits = next(iter(found.values()))
    return logits.view(-1, logits.shape[-1]), ids


def compare(product, label, source, hugging_face, folder):
    """Prints a line; (largest difference of logits, same tokens, good)."""
    theirs, their_ids, narrowest = expected(hugging_face)
    ours, our_ids = sampled(product, source, folder)
    difference = (ours - theirs).abs().max().item() if ours.shape == theirs.shape else float("inf")
    same = sum(1 for _ in takewhile_equal(our_ids, their_ids))
    good = difference <= LOGIT_LIMIT and our_ids == their_ids
    print(f"{label:70} logits differ by {difference:.1e} (allowed {LOGIT_LIMIT:.0e}), {same} of {TOKENS} greedy tokens the "
          f"same, {len(set(their_ids))} different ones, narrowest choice {narrowest:.1e}   {'good' if good else 'BAD'}",
          flush=True)
    return difference, same, good


def takewhile_equal(a, b):
    for x, y in zip(a, b):
        if x != y:
            return
        yield x


def train_and_export(product, shape, source, folder):
    tokens = random_tokens(shape, 5 * 2 * shape.context + 1, 2)
    save_tokens(f"{folder}/data", tokens, shape.vocab)
    product.train(f"{folder}/run", dict(
        init_from=source, dataset=f"{folder}/data", context=shape.context, shuffle=False, batch_size=2, steps=5,
        learning_rate=1e-3, min_learning_rate=0.0, schedule="constant", warmup_steps=0, dropout=0.0, threads=2,
        eval_interval=0, eval_batches=1, checkpoint_dir=f"{folder}/run/steps", checkpoint_interval=5, resume="never"))
    checkpoint = f"{folder}/run/steps/step-00000005"
    product.run("export", checkpoint, "--hf", f"{folder}/export")
    return checkpoint, f"{folder}/export"


def one_shape(product, name, shape, folder):
    """The results of every comparison with this model."""
    saved = f"{folder}/saved"
    fill(build(shape), shape, seed=5, std=0.25).save_pretrained(saved)
    out = [compare(product, f"{name}: saved by transformers", saved, saved, folder)]
    checkpoint, exported = train_and_export(product, shape, saved, folder)
    out.append(compare(product, f"{name}: checkpoint, and transformers of its export", checkpoint, exported, folder))
    out.append(compare(product, f"{name}: the export itself", exported, exported, folder))
    return out


def run(product, names=SHAPES):
    results, good = [], True
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            try:
                results += one_shape(product, name, SHAPES[name], folder)
            except (Failed, OSError, RuntimeError, ValueError) as error:
                print(f"{name} FAILED: {error}")
                good = False
    worst = max((r[0] for r in results), default=float("inf"))
    summary = {"worst_logit_difference": float(f"{worst:.3g}") if worst < float("inf") else None,
               "same_greedy_tokens": min((r[1] for r in results), default=0), "comparisons": len(results)}
    return summary, good and all(r[2] for r in results)


def self_test():
    good = run(Fake())[1]
    print("fault: missed-transpose")
    good &= not run(Fake("missed-transpose"), ["gpt2"])[1]
    print("self-test passed" if good else "self-test FAILED")
    return 0 if good else 1


def main():
    a = argparse.ArgumentParser(description=__doc__.splitlines()[0], epilog=__doc__.split("\n", 2)[2],
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("gait", nargs="?", help="the program")
    a.add_argument("root", nargs="?", help="of the source tree, as other oracles want it; not used")
    a.add_argument("--self-test", action="store_true", help="test this test")
    o = a.parse_args()
    torch.set_num_threads(1)
    if o.self_test:
        return self_test()
    if not o.gait:
        a.error("which program? build/gait")
    summary, good = run(Product(o.gait))
    print(json.dumps(summary))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
