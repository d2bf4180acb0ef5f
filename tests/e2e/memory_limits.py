#!/usr/bin/env python3
"""Every command at every limit on the address space: it works, or says why not.

usage: memory_limits.py GAIT SOURCE [--growth 1.08] [--only NAME]

For each command the limit (ulimit -v) grows by a factor from 24 MB until the command has succeeded twice in a row. It
must end as it does without a limit, or with 4 and a last line that begins with "gait: "; below that the dynamic loader
may refuse to start the program (127). A signal is a failure, and so is a command that never succeeds.
"""
import argparse
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import tempfile

FIRST, MOST, ENOUGH = 24e6, 1e9, 2


def commands(source):
    tiny = [str(source / "examples/tiny.yaml"), "--steps", "1", "--warmup-steps", "0", "--layers", "1",
            "--batch-size", "4", "--eval-batches", "1", "--log-interval", "1", "--eval-interval", "0", "--builtin-chars", "100000"]
    trace = str(source / "examples/three_steps.trace.json")
    return {
        "train": ["train", *tiny],
        "train-bf16": ["train", *tiny, "--precision", "bf16"],
        "train-reference": ["train", *tiny, "--engine", "reference"],
        "train-threads": ["train", *tiny, "--threads", "5"],
        "train-save": ["train", *tiny, "--checkpoint-dir", "again", "--log-dir", "log", "-o", "t.gait"],
        "profile": ["profile", *tiny, "--profile-steps", "2", "--profile-warmup", "1", "-o", "p.gait"],
        "sample": ["sample", "trained", "the", "--tokens", "5"],
        "bench": ["bench"],
        "analyze": ["analyze", trace],
        "explain": ["explain", trace],
        "import": ["import", trace, "-o", "i.gait"],
        "report": ["report", trace, "-o", "r.html"],
        "chrome": ["export", "--chrome", trace, "-o", "c.json"],
        "hf": ["export", "--hf", "hf", "trained"],
        "lint": ["lint", *sorted(map(str, (source / "tests/truth/jobs").glob("healthy_*.py")))],
        "prepare": ["data", "prepare", "text.txt", "-o", "tokens", "--tokenizer", "bytes"],
        "config": ["config", "--preset", "auto"],
        "version": ["version"],
    }


def run(gait, words, cwd, limit):
    for made in ("tokens", "hf"):  # are refused where they exist
        shutil.rmtree(pathlib.Path(cwd, made), ignore_errors=True)

    def child():
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if limit:
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    return subprocess.run([gait, *words], cwd=cwd, preexec_fn=child, capture_output=True, text=True, errors="replace",
                          timeout=300)


def fault(done, good):
    """What is wrong with how it ended; None: nothing. good: the exit code where nothing limits it."""
    last = done.stderr.strip().splitlines()[-1:] or [""]
    if done.returncode < 0:
        return f"died of {signal.Signals(-done.returncode).name}"
    if done.returncode == 127 and "shared librar" in done.stderr:
        return None
    if done.returncode == good or (done.returncode == 4 and last[0].startswith("gait: ")):
        return None
    return f"exit code {done.returncode}: {last[0][:200]}"


def sweep(gait, name, words, folder, growth):
    """Returns (runs, refusals, least limit that was enough or None, faults)."""
    runs = refused = in_a_row = 0
    enough, faults, limit = None, [], FIRST
    good = run(gait, words, folder, 0).returncode
    if good not in (0, 1):  # 1: lint has findings
        return 1, 0, None, [f"{name} ends with {good} without a limit"]
    while limit < MOST and in_a_row < ENOUGH:
        done = run(gait, words, folder, int(limit))
        runs += 1
        refused += done.returncode == 4
        wrong = fault(done, good)
        if wrong:
            faults.append(f"{name} at {int(limit)} bytes: {wrong}")
        in_a_row = in_a_row + 1 if done.returncode == good else 0
        enough = int(limit) if in_a_row == 1 else enough
        limit *= growth
    if in_a_row < ENOUGH:
        faults.append(f"{name} never succeeds: {done.stderr[-300:]}")
    return runs, refused, enough, faults


def main():
    p = argparse.ArgumentParser()
    p.add_argument("gait")
    p.add_argument("source", type=pathlib.Path)
    p.add_argument("--growth", type=float, default=1.08)
    p.add_argument("--only")
    a = p.parse_args()
    gait, source, faults = str(pathlib.Path(a.gait).resolve()), a.source.resolve(), []
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "text.txt").write_text("a text of some words\n" * 20000)
        all_commands = commands(source)
        made = run(gait, [*all_commands["train"], "--checkpoint-dir", "trained"], folder, 0)
        if made.returncode:
            sys.exit(f"no model to sample: {made.stderr}")
        print(f"{'command':16} {'runs':>5} {'refused':>8} {'enough from':>14}")
        for name, words in all_commands.items():
            if a.only and name != a.only:
                continue
            runs, refused, enough, wrong = sweep(gait, name, words, folder, a.growth)
            print(f"{name:16} {runs:5} {refused:8} {(enough or 0) / 1e6:11.1f} MB", flush=True)
            faults += wrong
    for f in faults:
        print("FAULT", f)
    sys.exit(bool(faults))


main()
