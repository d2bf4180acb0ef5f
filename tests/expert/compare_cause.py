#!/usr/bin/env python3
"""Gait's answer beside the largest cause that an independent reading of the raw events finds.

    tests/expert/largest_cause.py --json TRACE… > READINGS
    GAIT=build/gait tests/expert/compare_cause.py READINGS     the table of docs/expert.md; exit code 1 where the answers differ

cause      same: the largest part of Gait's account, its parts added up by class, or its first finding is of the reading's largest part
finding    same: the first finding is of the reading's largest avoidable part. "none": Gait has no finding
"""
import json
import os
import re
import subprocess
import sys

HOST = {"launch-bound", "host code", "host operators", "gaps between operators", "other operators"}
PRODUCTS = {"compute: matmul", "compute: convolution", "f32 matmul and convolution"}
MEMORY = {"elementwise and reductions", "optimizer"}

# Of a rule of Gait's: the reading's parts that it speaks of.
RULES = {
    "launch-bound": HOST, "python-time": HOST, "small-tensors": HOST, "garbage-collector": {"host code"}, "invariant-rebuilt": HOST,
    "batch-small": HOST, "threads-few": HOST, "threads-oversubscribed": HOST,
    "host-work-first": HOST | {"input"},
    "host-wait": {"blocking call"}, "blocking-copy": {"blocking call", "exposed copy"}, "pageable-copy": {"blocking call", "exposed copy"},
    "logging-often": {"blocking call", "host code"},
    "allocator-churn": {"allocation"}, "warmup-in-average": {"start-up"},
    # what waits for work of before the recording reads as a blocking call
    "atypical-recording": {"start-up", "blocking call"},
    "exposed-communication": {"exposed communication"}, "small-collectives": {"exposed communication"},
    "straggler": {"exposed communication"}, "unequal-work": {"exposed communication"},
    "input-bound": {"input"}, "collate-work": {"input"}, "prefetch-short": {"input"},
    "precision-f32": {"f32 matmul and convolution"}, "tensor-cores-unused": PRODUCTS, "trainer-f32": {"f32 matmul and convolution"},
    "padding": PRODUCTS, "qkv-unfused": PRODUCTS,
    "attention-unfused": {"compute: attention", "elementwise and reductions"},
    "elementwise-chain": {"elementwise and reductions"}, "kernels-unfused": {"elementwise and reductions"},
    "repeated-casts": {"elementwise and reductions"},
    "optimizer-unfused": MEMORY | {"launch-bound"}, "clear-cost": MEMORY | {"launch-bound"}, "clip-cost": MEMORY | {"launch-bound"},
    "embedding-gradient": {"compute: embedding", "optimizer"}, "recompute-needless": PRODUCTS,
    "checkpoint-often": {"host code"}, "evaluation-often": {"host code"},
}

# Of a part of Gait's account, by its words, the first that matches; "where" is searched for input alone.
ACCOUNT = [
    (r"^matmuls|convolution", PRODUCTS),
    (r"^attention", {"compute: attention"}),
    (r"^elementwise kernels|^copies, concat|^normali[sz]ation|^reductions", MEMORY),
    (r"optimizer", {"optimizer"}),
    (r"embedding", {"compute: embedding"}),
    (r"^other kernels", {"compute: other kernels", "compute: matmul", "compute: embedding"}),
    (r"^exposed communication|waits for (another|other|the)", {"exposed communication"}),
    (r"^exposed copies", {"exposed copy"}),
    (r"fetches a batch", {"input"}),
    (r"waits in|host runs \w*(Synchronize|Memcpy)", {"blocking call"}),
    (r"host runs (cuda|hip)\w*(Malloc|Free|HostAlloc)", {"allocation", "start-up"}),
    (r"host runs (cuda|hip|cu)[A-Z]", {"start-up", "launch-bound"}),
    (r"nothing recorded on the host|has no host calls", {"host code", "device-side gap"}),
    (r"host (runs|is in)", HOST),
]
INPUT = re.compile(r"preprocess|dataloader|image_processing|image_transforms|read_video|collate|tokeniz|dataset", re.I)


def class_of(part):
    if part["kind"] in ("idle", "host") and INPUT.search(part["what"] + " " + (part["where"] or "")):
        return frozenset({"input"})
    return next((frozenset(c) for pattern, c in ACCOUNT if re.search(pattern, part["what"])), frozenset({"?" + part["what"][:40]}))


def told(gait, path):
    """Gait's first rule, and of its account the classes with their ms, largest first; None where it cannot read the trace."""
    said = subprocess.run([gait, "analyze", "--quiet", "--json", path], capture_output=True, check=False, text=True)
    try:
        answer = json.loads(said.stdout)
    except ValueError:
        return None
    classes, words = {}, {}
    for part in (answer.get("account") or {}).get("parts", []):
        c = class_of(part)
        classes[c] = classes.get(c, 0) + part["ms"]
        words.setdefault(c, part["what"])
    first = next((f["rule"] for f in answer["findings"]), None)
    ranked = sorted(classes.items(), key=lambda kv: -kv[1])
    return {"rule": first, "classes": ranked, "words": words.get(ranked[0][0]) if ranked else None, "step_ms": answer["step"]["ms"]}


def shown(part):
    return f"{part['part']} {100 * part['frac']:.0f} %" if part else "-"


def row(reading, answer):
    largest = reading["parts"][0]
    avoidable = next((p for p in reading["parts"] if p["avoidable"]), None)
    if not answer:
        return None
    rule = RULES.get(answer["rule"], {"?"}) if answer["rule"] else set()
    block = answer["classes"][0] if answer["classes"] else (set(), 0)
    wanted = set(reading["as_large"])
    by_account, by_finding = bool(block[0] & wanted), bool(rule & wanted)
    cause = "same" if by_account or by_finding else "differs" if block[0] or rule else "nothing"
    near = {p["part"] for p in reading["parts"] if avoidable and p["avoidable"] and p["ms"] >= 0.9 * avoidable["ms"]}
    finding = "none" if not answer["rule"] else "same" if rule & near else "differs"
    block_text = f"{answer['words'][:60]}, {100 * block[1] / answer['step_ms']:.0f} %" if answer["words"] else "-"
    return cause, finding, largest, avoidable, answer["rule"] or "-", block_text


def main():
    gait = os.environ.get("GAIT", "build/gait")
    counts = {}
    print("| trace | reading: largest | reading: largest avoidable | Gait: largest of the account | Gait: first finding | cause | finding |\n"
          "|:--|:--|:--|:--|:--|:--|:--|")
    for line in open(sys.argv[1], encoding="utf-8"):
        reading = json.loads(line)
        got = row(reading, told(gait, reading["path"]))
        name = reading["path"].partition("/traces/")[2] or reading["path"]
        if not got:
            print(f"| {name} | {shown(reading['parts'][0])} | | not read | | nothing | none |")
            counts["cause nothing"] = counts.get("cause nothing", 0) + 1
            continue
        cause, finding, largest, avoidable, rule, block = got
        for key in (f"cause {cause}", f"finding {finding}"):
            counts[key] = counts.get(key, 0) + 1
        print(f"| {name} | {shown(largest)} | {shown(avoidable)} | {block} | {rule} | {cause} | {finding} |", flush=True)
    print("\n" + ", ".join(f"{k}: {v}" for k, v in sorted(counts.items())))
    return not counts or bool(counts.get("cause differs", 0) + counts.get("cause nothing", 0))


if __name__ == "__main__":
    sys.exit(main())
