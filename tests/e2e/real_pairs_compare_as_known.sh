#!/bin/sh
# `gait analyze --compare` of the before/after pairs whose answers are known: ResNet-50 with 0 and 4
# workers that load data. Skips where the real traces are absent.
set -eu
gait=$1 root=$2
pair=$root/../shared/traces/kineto_tb/resnet50_num_workers
[ -d "${pair}_0" ] || { echo "skipped: the real traces are not here"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

compare() { # before, after
    "$gait" analyze --quiet --compare --json "${pair}_0/worker0.$1.pt.trace.json.gz" \
        "${pair}_4/worker0.$2.pt.trace.json.gz" >"$work/out.json"
}

# The marks ProfilerStep in the files are six each; their medians were taken by another program.
check() { # median before, after in ms
    python3 - "$work/out.json" "$@" <<'PY'
import json, sys
got = json.load(open(sys.argv[1]))
assert got["by_step"]
for side, want in zip(("before", "after"), map(float, sys.argv[2:4])):
    ms = got[side]["step"]["ms"]
    assert abs(ms - want) < 0.001, f"{side}: {ms} ms, known: {want}"
loader = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"
op = next(o for o in got["ops"] if o["name"] == loader)
assert op["state"] == "went" and op["after"] is None, op
assert op == max((o for o in got["ops"] if o["place"] == "cpu"), key=lambda o: abs(o["change_us"]))
times = {t["class"]: t for t in got["times"]}
assert times["idle"]["change_us"] < -10000, times["idle"]
assert abs(times["compute"]["change_us"]) < 5000, times["compute"]
parts = sum(times[c]["after_us"] for c in ("compute", "communication", "copies", "idle"))
assert abs(parts - times["span"]["after_us"]) < 1, parts
changes = [abs(o["change_us"]) for o in got["ops"]]
assert changes == sorted(changes, reverse=True)
PY
}

compare 1623143089861 1623212756351
check 176.273 126.548
compare 1623143566756 1623213129365
check 152.469 125.087
