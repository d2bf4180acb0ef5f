#!/usr/bin/env python3
"""Gait trains in less memory than PyTorch, and in as much as it says before it starts.

    memory.py GAIT [ROOT]          measure; the last line is one JSON object; 1 when a limit is broken
    memory.py --quick GAIT [ROOT]  without GPT-2 124M
    memory.py --self-test          prove that the verdict can fail

Peak resident memory of a few bf16 training steps, as the kernel counts it for the process, against the same model in
PyTorch: ROOT/../shared/peers/torch_gpt.py --dtype bf16. Without that script only the plan is compared. The plan is the
total of the line "memory ..." that the program prints; what it cannot know, the program itself and its libraries, is
allowed for by a constant.

This script imports no PyTorch: a child inherits its parent's peak.
"""
import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile
from array import array
from dataclasses import dataclass

MIB = 2 ** 20
PLAN_FRACTION = 0.05
BESIDES_PLAN_MIB = 32  # the program, its libraries, OpenMP's stacks, oneDNN's generated code


@dataclass(frozen=True)
class Size:
    name: str
    layers: int
    heads: int
    width: int
    vocab: int
    rows: int
    context: int
    limit: float  # of PyTorch's memory


SIZES = (
    Size("4 x 128", layers=4, heads=4, width=128, vocab=65, rows=12, context=64, limit=0.2),
    Size("6 x 384", layers=6, heads=6, width=384, vocab=65, rows=64, context=256, limit=0.5),
    Size("gpt2 124M", layers=12, heads=12, width=768, vocab=50257, rows=4, context=256, limit=0.8),
)


def peak_mib(command):
    """Runs it; (peak resident MiB, standard output, standard error)."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        child = subprocess.Popen(command, stdout=out, stderr=err)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0), err.seek(0)
        printed, said = out.read(), err.read()
    if child.returncode:
        raise RuntimeError(f"`{' '.join(command)}` ended with {child.returncode}:\n{said[-2000:]}")
    return usage.ru_maxrss / 1024, printed, said


def planned_mib(said):
    """The total that the program announced."""
    found = re.search(r"^memory\b.*\btotal ([0-9.]+) (B|KiB|MiB|GiB)", said, re.M)
    if not found:
        raise RuntimeError(f"no line \"memory ... total\" in what it printed:\n{said[-2000:]}")
    return float(found[1]) * {"B": 1 / MIB, "KiB": 1 / 1024, "MiB": 1, "GiB": 1024}[found[2]]


def save_random_tokens(folder, s):
    source = random.Random(1)
    tokens = array("H", (source.randrange(s.vocab) for _ in range(4 * s.rows * s.context + 1)))
    for part in ("train", "val"):
        with open(f"{folder}/{part}.bin", "wb") as f:
            tokens.tofile(f)
    with open(f"{folder}/meta.json", "w") as f:
        json.dump({"vocab_size": s.vocab}, f)


def measure_gait(gait, s):
    with tempfile.TemporaryDirectory() as folder:
        save_random_tokens(folder, s)
        with open(f"{folder}/config.yaml", "w") as f:
            f.write(f"model: gpt2\nlayers: {s.layers}\nheads: {s.heads}\nwidth: {s.width}\ncontext: {s.context}\n"
                    f"batch_size: {s.rows}\nprecision: bf16\nsteps: 3\nwarmup_steps: 0\nthreads: 2\n"
                    f"eval_interval: 0\neval_batches: 1\ndataset: {folder}\n")
        peak, _, said = peak_mib([os.path.abspath(gait), "train", f"{folder}/config.yaml"])
    return peak, planned_mib(said)


def measure_torch(peer, s):
    return peak_mib([sys.executable, peer, "--dtype", "bf16", "--steps", "1", "--layers", str(s.layers), "--heads",
                     str(s.heads), "--width", str(s.width), "--vocab", str(s.vocab), "--batch", str(s.rows),
                     "--context", str(s.context), "--threads", "2"])[0]


def plan_holds(peak, plan):
    return abs(peak - plan) <= PLAN_FRACTION * peak + BESIDES_PLAN_MIB


def verdict(s, peak, plan, torch_peak):
    """Prints a line; whether all limits hold. torch_peak may be None."""
    good = plan_holds(peak, plan)
    line = f"{s.name:10} batch {s.rows} x {s.context}: {peak:7.0f} MiB, planned {plan:7.0f}{'' if good else ' TOO FAR OFF'}"
    if torch_peak is not None:
        less = peak <= s.limit * torch_peak
        line += (f"   PyTorch {torch_peak:7.0f} MiB   ratio {peak / torch_peak:.3f}, at most {s.limit}"
                 f"{'' if less else ' TOO MUCH'}")
        good &= less
    print(line, flush=True)
    return good


def run(gait, root, quick):
    peer = os.path.join(root, "..", "shared", "peers", "torch_gpt.py")
    if not os.path.exists(peer):
        print(f"skipped: the comparison with PyTorch, there is no {peer}")
        peer = None
    result, good = {}, True
    for s in SIZES:
        if quick and s.width == 768:
            print(f"{s.name}: skipped by --quick")
            continue
        peak, plan = measure_gait(gait, s)
        torch_peak = measure_torch(peer, s) if peer else None
        good &= verdict(s, peak, plan, torch_peak)
        key = s.name.replace(" ", "")
        result |= {f"{key}_mib": round(peak, 1), f"{key}_planned_mib": round(plan, 1),
                   f"{key}_ratio": round(peak / torch_peak, 3) if torch_peak else None}
    print(f"a plan may miss the peak by {PLAN_FRACTION:.0%} and {BESIDES_PLAN_MIB} MiB for what is not training data")
    print(json.dumps(result))
    return 0 if good else 1


def self_test():
    s = SIZES[1]
    checks = (verdict(s, 490, 460, 1000), not verdict(s, 510, 500, 1000), not verdict(s, 400, 300, 1000),
              not verdict(s, 300, 400, 1000), verdict(s, 400, 400, None), not verdict(s, 400, 300, None),
              abs(planned_mib("gait\nmemory  a 1 KiB, b 2 MiB   total 5.74 MiB of 23.5 GiB (exact)\n") - 5.74) < 1e-9,
              planned_mib("memory  a 1 KiB   total 1.50 GiB (exact)") == 1536)
    block = 200 * MIB
    big = peak_mib([sys.executable, "-c", f"x = b'1' * {block}"])[0] - peak_mib([sys.executable, "-c", "pass"])[0]
    good = all(checks) and abs(big - 200) < 15
    print(f"a process that holds 200 MiB more is measured as {big:.0f} MiB more")
    print("self-test passed" if good else "self-test FAILED")
    return 0 if good else 1


def main():
    a = argparse.ArgumentParser(description=__doc__.splitlines()[0], epilog=__doc__.split("\n", 2)[2],
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("gait", nargs="?", help="the program")
    a.add_argument("root", nargs="?", default=".", help="of the source tree")
    a.add_argument("--quick", action="store_true", help="without GPT-2 124M")
    a.add_argument("--self-test", action="store_true", help="test this test")
    o = a.parse_args()
    if o.self_test:
        return self_test()
    if not o.gait:
        a.error("which program? build/gait")
    return run(o.gait, o.root, o.quick)


if __name__ == "__main__":
    sys.exit(main())
