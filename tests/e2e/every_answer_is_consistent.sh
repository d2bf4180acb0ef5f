#!/bin/sh
# A run has one step time: terminal, Markdown, HTML and JSON tell the same, and all that is told of a step is a part of it. In no table
# of device work do two different kernels look alike. Asked of the examples, and of the real traces where they are here.
set -eu
gait=$1 root=$2
traces=$root/../shared/traces
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
n=0 bad=0
ls "$root"/examples/*.trace.json >"$work/list"
[ -f "$traces/INVENTORY.tsv" ] && tail -n +2 "$traces/INVENTORY.tsv" | cut -f1 | sed "s|^|$traces/|" >>"$work/list"
analyze() { "$gait" analyze --quiet --top 2000 "$work/run.gait" "$@"; }
while read -r trace; do
    n=$((n + 1)) name=${trace##*/traces/}
    "$gait" import --quiet "$trace" -o "$work/run.gait" 2>"$work/err" && analyze --json >"$work/run.json" && analyze >"$work/run.txt" &&
        analyze --markdown >"$work/run.md" && "$gait" report --quiet "$work/run.gait" -o "$work/run.html" &&
        python3 "$root/tests/e2e/one_step.py" "$work/run.json" "$work/run.txt" "$work/run.md" "$work/run.html" "$name" &&
        python3 "$root/tests/e2e/distinct_rows.py" "$work/run.json" "$work/run.txt" "$work/run.md" "$name" ||
        bad=$((bad + 1))
    rm -f "$work"/run.*
done <"$work/list"
echo "$n traces, $bad with an answer that is not consistent"
[ $bad = 0 ]
