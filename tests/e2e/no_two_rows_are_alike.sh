#!/bin/sh
# In no table of device work do two different kernels look alike: on a screen, in Markdown, in JSON. Asked of the examples,
# and of the real traces where they are here.
set -eu
gait=$1 root=$2
traces=$root/../shared/traces
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
n=0 bad=0
ls "$root"/examples/*.trace.json >"$work/list"
[ -f "$traces/INVENTORY.tsv" ] && tail -n +2 "$traces/INVENTORY.tsv" | cut -f1 | sed "s|^|$traces/|" >>"$work/list"
while read -r trace; do
    n=$((n + 1))
    "$gait" import --quiet "$trace" -o "$work/run.gait" 2>"$work/err" &&
        "$gait" analyze --quiet --top 2000 --json "$work/run.gait" >"$work/run.json" &&
        "$gait" analyze --quiet --top 2000 "$work/run.gait" >"$work/run.txt" &&
        "$gait" analyze --quiet --top 2000 --markdown "$work/run.gait" >"$work/run.md" &&
        python3 "$root/tests/e2e/distinct_rows.py" "$work/run.json" "$work/run.txt" "$work/run.md" "${trace##*/traces/}" ||
        bad=$((bad + 1))
    rm -f "$work"/run.*
done <"$work/list"
echo "$n traces, $bad with rows that look alike"
[ $bad = 0 ]
