#!/usr/bin/env python3
"""HolisticTraceAnalysis finds the same idle, compute and other time as Gait in every real trace.

    hta_agrees.py GAIT [ROOT] [--only WORD]    1 where a difference has no explanation; the last line is JSON

Its rules are applied to Gait's spans (`gait import --keep-spans all`), because they are not Gait's own: with two or more
ProfilerSteps the last one is dropped, and with it device work launched in or after it, or without a launch; begins are
rounded up and ends down to whole microseconds, after passing through a double; communication is a kernel named
^nccl|^hip|^hccl|.*ncclKernel. What differs in spite of that is listed with its reason (REASONS); docs/hta.md tells them.
Without ROOT/../shared/traces nothing is compared: 77.
"""
import argparse
import json
import logging
import math
import os
import re
import sqlite3
import subprocess
import sys
import tempfile
import warnings

warnings.filterwarnings("ignore")
logging.disable(logging.CRITICAL)

COMMUNICATION = re.compile(r"^nccl|^hip|^hccl|.*ncclKernel")
SAME_AT_LEAST = 60  # of the 88 real traces; 62 when this was written
FIELDS = ("idle", "compute", "non_compute", "span")

# Traces for which the figures cannot be the same, and why: (word of the path, reason).
TRITON = "host operators of Triton kernels have a stream in their args: it takes them for device work"
MTIA = "it leaves out the row DMA_REQUEST, whose 137 events have no stream in their args"
REASONS = (("mtia_trace_single_rank", MTIA), ("triton_example", TRITON), ("b200/eager_trace", TRITON), ("xdit_sd_3.5", TRITON))
WAITS = "it counts waits on a stream's row (cuda_sync, MTIA's event_wait) as work; with them the figures are the same"


def union(pieces):
    total, until = 0, -math.inf
    for begin, end in sorted(pieces):
        if end > until:
            total += end - max(begin, until)
            until = end
    return total


def profiled(db):
    return db.execute("SELECT step_method FROM ranks").fetchone()[0] == "ProfilerStep marks"


def import_all(gait, path, work):
    run = f"{work}/run.gait"
    done = subprocess.run([gait, "import", "-q", "--keep-spans", "all", path, "-o", run], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr.strip())
    return run


def gait_figures(run, kinds=("kernel", "collective", "copy", "set")):
    """By its rules from Gait's spans of these kinds; None where there is no device work."""
    with sqlite3.connect(run) as db:
        steps = [b for (b,) in db.execute("SELECT begin_ns FROM steps")] if profiled(db) else []
        rows = [r for r in db.execute("""SELECT s.id, s.kind, s.name, s.begin_ns, s.dur_ns FROM spans s
                                         JOIN lanes l ON l.id = s.lane WHERE l.kind = 'device'
                                         AND (s.kind <> 'sync' OR l.tid >= 0)""") if r[1] in kinds]
        launched = dict(db.execute("""SELECT e.dst, s.begin_ns FROM edges e JOIN spans s ON e.src = s.id
                                      WHERE e.kind = 'launch'"""))
    if len(steps) > 1:
        rows = [r for r in rows if launched.get(r[0], math.inf) < max(steps)]
    pieces, compute = [], []
    for _, kind, name, begin_ns, dur_ns in rows:
        begin = begin_ns / 1000
        piece = math.ceil(begin), math.floor(begin + dur_ns / 1000)
        pieces.append(piece)
        if kind not in ("copy", "set") and not COMMUNICATION.match(name):
            compute.append(piece)
    if not pieces:
        return None
    span = max(p[1] for p in pieces) - min(p[0] for p in pieces)
    idle, busy = span - union(pieces), union(compute)
    return dict(idle=idle, compute=busy, non_compute=span - idle - busy, span=span)


def hta_figures(path, work):
    """In a process of its own, because it may take memory or fail; a text where it did."""
    code = """
import json, logging, os, sys, warnings
warnings.filterwarnings("ignore"); logging.disable(logging.CRITICAL)
from hta.trace_analysis import TraceAnalysis
t = TraceAnalysis(trace_files={0: sys.argv[1]}, trace_dir=os.path.dirname(sys.argv[1]))
r = t.get_temporal_breakdown(visualize=False).iloc[0]
print(json.dumps({k: float(r[c]) for k, c in dict(idle="idle_time(us)", compute="compute_time(us)",
      non_compute="non_compute_time(us)", span="kernel_time(us)").items()}))
"""
    done = subprocess.run([sys.executable, "-c", code, os.path.abspath(path)], capture_output=True, text=True, cwd=work)
    lines = done.stdout.strip().splitlines()
    if done.returncode or not lines:
        return "it fails: " + (done.stderr.strip().splitlines() or ["no output"])[-1][:100]
    return json.loads(lines[-1])


def same_as_waits(ours, theirs):
    """It counts some waits as compute and others not: what is busy and what is idle must agree."""
    return ours["idle"] == theirs["idle"] and ours["span"] == theirs["span"]


def reason_for(name):
    return next((why for word, why in REASONS if word in name), None)


def compare(name, path, gait, work):
    """(verdict, text)"""
    run = import_all(gait, path, work)
    ours, theirs = gait_figures(run), hta_figures(path, work)
    if isinstance(theirs, str):
        return "hta fails", theirs
    if ours is None:
        return "LOST", f"it finds device work: {theirs}"
    worst = max(abs(ours[f] - theirs[f]) for f in FIELDS)
    text = "  ".join(f"{f} {ours[f]}" + ("" if ours[f] == theirs[f] else f" (it: {theirs[f]:.0f})") for f in FIELDS)
    if worst == 0:
        return "same", text
    with_waits = gait_figures(run, ("kernel", "collective", "copy", "set", "sync"))
    why = WAITS if same_as_waits(with_waits, theirs) else reason_for(name)
    return ("explained" if why else "DIFFERENT"), f"{text}  {why or ''}"


def traces(root, only):
    folder = f"{root}/../shared/traces"
    with open(f"{folder}/INVENTORY.tsv", encoding="utf-8") as f:
        names = [line.split("\t")[0] for line in f][1:]
    return [(n, f"{folder}/{n}") for n in names if only in n and os.path.exists(f"{folder}/{n}")]


def main():
    a = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    a.add_argument("gait")
    a.add_argument("root", nargs="?", default=".")
    a.add_argument("--only", default="", help="traces whose path has this word")
    o = a.parse_args()
    if not os.path.exists(f"{o.root}/../shared/traces/INVENTORY.tsv"):
        print("skipped: the real traces are not here")
        return 77
    counts = {}
    with tempfile.TemporaryDirectory() as work:
        for name, path in traces(o.root, o.only):
            try:
                verdict, text = compare(name, path, os.path.abspath(o.gait), work)
            except RuntimeError as error:
                verdict, text = "gait refuses", str(error)[:120]
            counts[verdict] = counts.get(verdict, 0) + 1
            print(f"{verdict:14} {name[:70]:70} {text}", flush=True)
    failed = [v for v in ("DIFFERENT", "gait refuses", "LOST") if counts.get(v)]
    if not o.only and counts.get("same", 0) < SAME_AT_LEAST:
        failed.append(f"fewer than {SAME_AT_LEAST} the same")
    print("failed: " + ", ".join(failed) if failed else "every difference is explained")
    print(json.dumps(counts))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
