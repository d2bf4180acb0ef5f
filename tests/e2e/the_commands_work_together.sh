#!/bin/sh
# profile writes a run; analyze, report, verify and sqlite3 read it; phases sum to the wall time.
#   SCRIPT GAIT SOURCE_ROOT
set -eu
gait=$1 root=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $*"; exit 1; }

"$gait" profile "$root/examples/tiny.yaml" -o "$work/a.gait" >"$work/profile.txt"
grep -q 'A step takes' "$work/profile.txt" || fail "profile does not say what a step takes"

# Phases: each step's rows sum to it; what no phase holds stays within 1 % of the wall time.
sqlite3 "$work/a.gait" "
    select sum(case when phase = 'unattributed' then abs(ns) else 0 end) * 1.0 / sum(ns) from phases" >"$work/frac"
echo "unattributed: $(cat "$work/frac") of the steps' wall time"
awk '{ exit !($1 <= 0.01) }' "$work/frac" || fail "phases leave more than 1 % unattributed"
sqlite3 "$work/a.gait" "
    select count(*) from (select s.id, s.end_ns - s.begin_ns - sum(p.ns) as rest
        from steps s join phases p on p.step = s.id group by s.id) where rest <> 0" | grep -qx 0 ||
    fail "phases and unattributed do not sum to the step"

"$gait" analyze --json "$work/a.gait" >"$work/a.json"
python3 - "$work/a.json" <<'PY' || fail "the JSON lacks something"
import json, sys
a = json.load(open(sys.argv[1]))
assert a["format"] and a["source"] == "trainer", a["source"]
rank = a["ranks"][0]
assert rank["rank"] == 0 and rank["steps"]["count"] == 20 and rank["step"]["ms"] > 0
assert {"span", "compute", "communication", "copies", "idle"} <= set(rank["time_us"])
ops = rank["ops"]
assert any(o["name"].startswith("attention") for o in ops)
for o in ops:
    assert o["count"] > 0 and 0 <= o["self_us"] <= o["total_us"] + 1e-9, o
PY
"$gait" analyze "$work/a.gait" >"$work/a.txt"
"$gait" report "$work/a.gait" -o "$work/a.html"
"$gait" report "$work/a.gait" -o "$work/a.md"
grep -q '<html' "$work/a.html" || fail "no HTML"
grep -q 'http' "$work/a.html" && grep -oq 'src="http\|href="http' "$work/a.html" && fail "the page wants the network"
"$gait" verify "$work/a.gait" "$work/a.gait" >"$work/verify.txt" || fail "a run does not verify against itself"
grep -q 'bitwise equal' "$work/verify.txt" || fail "a run's losses differ from themselves"
echo "profile, analyze, report, verify and sqlite3 agree"
