#!/usr/bin/env python3
"""How much memory a training takes: the plan against the process, and the process against PyTorch's.

    memory.py GAIT [ROOT] [--quick]      --quick leaves out GPT-2 124M

Six trainings of a few steps: the peak of the process (its maximum resident set) must be within 5 % and CONSTANT_MIB of
the plan that the program printed before step 1. Three of them, in bf16, stand beside ROOT/../shared/peers/torch_gpt.py with
the same sizes; where that is absent they are not compared, and the script says so. The last line is one JSON object; 1 when
a limit is passed.
"""
import argparse
import json
import os
import random
import re
import struct
import subprocess
import sys
import tempfile

CONSTANT_MIB = 40  # code, libraries, oneDNN's kernels and threads: what any run has beside its plan

# name, sizes, vocabulary, the share of PyTorch's peak that is allowed (None: not compared)
CASES = [
    ("4 x 128, B12 T64, bf16", dict(layers=4, heads=4, width=128, batch_size=12, context=64, precision="bf16"), 65, 0.2),
    ("6 x 384, B64 T256, bf16", dict(layers=6, heads=6, width=384, batch_size=64, context=256, precision="bf16"), 65, 0.5),
    ("4 x 128, B12 T64, f32, plain attention", dict(layers=4, heads=4, width=128, batch_size=12, context=64,
                                                    attention="plain"), 65, None),
    ("6 x 384, B64 T256, bf16, recompute", dict(layers=6, heads=6, width=384, batch_size=64, context=256, precision="bf16",
                                                recompute="true"), 65, None),
    ("llama 6 x 384, 2 of 6 heads, B16 T256, f32", dict(model="llama", layers=6, heads=6, kv_heads=2, width=384,
                                                        batch_size=16, context=256), 65, None),
    ("GPT-2 124M, B4 T256, bf16", dict(layers=12, heads=12, width=768, batch_size=4, context=256, precision="bf16"),
     50257, 0.8),
]


def peak_of(command):
    """(peak MiB, what it said on stderr) of a process."""
    with tempfile.TemporaryFile("w+") as said:
        child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=said)
        _, status, usage = os.wait4(child.pid, 0)
        said.seek(0)
        text = said.read()
    if status != 0:
        sys.exit(f"{' '.join(command)} failed:\n{text[-2000:]}")
    return usage.ru_maxrss / 1024, text


def write_tokens(folder, vocab):
    """A nanoGPT folder of random tokens, as the peer has them."""
    source = random.Random(1)
    os.makedirs(folder)
    for name, n in (("train.bin", 60000), ("val.bin", 20000)):
        with open(f"{folder}/{name}", "wb") as f:
            f.write(b"".join(struct.pack("<H", source.randrange(vocab)) for _ in range(n)))
    with open(f"{folder}/meta.json", "w") as f:
        json.dump({"vocab_size": vocab}, f)


def planned_mib(text):
    found = re.search(r"^memory .* total ([0-9.]+) (KiB|MiB|GiB)", text, re.M)
    if not found:
        sys.exit(f"no memory plan was printed:\n{text[-2000:]}")
    return float(found[1]) * {"KiB": 1 / 1024, "MiB": 1, "GiB": 1024}[found[2]]


def gait_peak(gait, sizes, vocab, folder):
    write_tokens(f"{folder}/data", vocab)
    settings = dict(sizes, dataset=f"{folder}/data", steps=2, warmup_steps=1, eval_interval=0, eval_batches=1, threads=2)
    with open(f"{folder}/config.yaml", "w") as f:
        f.writelines(f"{k}: {v}\n" for k, v in settings.items())
    peak, text = peak_of([gait, "train", f"{folder}/config.yaml"])
    return peak, planned_mib(text)


def torch_peak(peer, sizes, vocab):
    names = dict(layers="layers", heads="heads", width="width", batch="batch_size", context="context")
    flags = [f"--{k}={sizes[v]}" for k, v in names.items()]
    return peak_of([sys.executable, peer, *flags, f"--vocab={vocab}", "--dtype=bf16", "--steps=2"])[0]


def main():
    a = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    a.add_argument("gait")
    a.add_argument("root", nargs="?", default=".")
    a.add_argument("--quick", action="store_true", help="without GPT-2 124M")
    o = a.parse_args()
    peer = os.path.join(o.root, "..", "shared", "peers", "torch_gpt.py")
    result, good = {}, True
    for name, sizes, vocab, allowed in CASES[:-1] if o.quick else CASES:
        with tempfile.TemporaryDirectory() as folder:
            peak, plan = gait_peak(os.path.abspath(o.gait), sizes, vocab, folder)
        fits = abs(peak - plan) <= plan * 0.05 + CONSTANT_MIB
        row = dict(plan_mib=round(plan, 1), peak_mib=round(peak, 1))
        line = f"{name:44} plan {plan:7.1f} MiB, peak {peak:7.1f} ({peak - plan:+.1f}){'' if fits else '  TOO FAR'}"
        if allowed and os.path.exists(peer):
            theirs = torch_peak(peer, sizes, vocab)
            row |= dict(torch_mib=round(theirs, 1), ratio=round(peak / theirs, 3))
            fits &= peak / theirs <= allowed
            line += f"   PyTorch {theirs:7.1f}: {peak / theirs:.3f} of it (allowed {allowed})"
        elif allowed:
            line += f"   not compared: there is no {peer}"
        print(line, flush=True)
        result[name] = row
        good &= fits
    print(json.dumps(result))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
