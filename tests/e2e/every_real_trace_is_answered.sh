#!/bin/sh
# `gait analyze --json` answers for every Kineto file of the inventory of real traces; malformed ones with
# a warning that says where. Skips where the traces are absent.
set -eu
gait=$1 root=$2
traces=$root/../shared/traces
[ -f "$traces/INVENTORY.tsv" ] || { echo "skipped: the real traces are not here"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
n=0 bad=0
tail -n +2 "$traces/INVENTORY.tsv" | cut -f1 >"$work/list"
# These two are really malformed and must be answered with a warning that says where.
malformed="gpupuzzlers/streams/different_priority_streams.json.gz gpupuzzlers/streams/same_priority_streams.json.gz"
for file in $malformed; do echo "$file"; done >>"$work/list"
while read -r file; do
    n=$((n + 1))
    if ! "$gait" analyze --json --quiet "$traces/$file" >"$work/out.json" 2>"$work/err"; then
        echo "$file: $(head -n 1 "$work/err")"
        bad=$((bad + 1))
        continue
    fi
    damaged=no
    case " $malformed " in *" $file "*) damaged=yes ;; esac
    python3 "$root/tests/e2e/check_analysis.py" "$work/out.json" "$file" $damaged || bad=$((bad + 1))
done <"$work/list"
echo "$n traces, $bad without a good answer"
[ $bad = 0 ]
