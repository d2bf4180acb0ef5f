#!/bin/sh
# `gait export --chrome` of an imported trace, imported again: the same spans, lanes, steps and launches.
# Traces are the example, generated ones of every sort and, where they are here, real ones.
set -eu
gait=$1 root=$2
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$root/examples/three_steps.trace.json" "$work/example.json"
generate=$(dirname "$gait")/tests/generate_trace
if [ -x "$generate" ]; then
    "$generate" --steps 4 --layers 3 --python --shapes --flows --orphans --sync_events -o "$work/all.json"
    "$generate" --steps 4 --layers 3 --old -o "$work/old.json"
    "$generate" --steps 4 --layers 3 --dialect us --vendor amd --graphs --overhang -o "$work/amd.json"
    "$generate" --steps 4 --layers 3 --dialect epoch-ns --marks optimizer -o "$work/epoch.json"
fi
real=$root/../shared/traces
for file in hta/nccl_parser_config/nccl_data tracelens/b200/eager_trace gpupuzzlers/launch_queue/cudagraph_mwe \
    param/resnet_kineto; do
    [ ! -f "$real/$file.json.gz" ] || cp "$real/$file.json.gz" "$work/$(basename "$file").json.gz"
done
for trace in "$work"/*.json "$work"/*.json.gz; do
    [ -f "$trace" ] || continue
    "$gait" import -q "$trace" -o "$work/a.gait"
    "$gait" export -q --chrome "$work/a.gait" -o "$work/b.trace"
    "$gait" import -q --keep-spans all "$work/b.trace" -o "$work/b.gait"
    python3 "$root/tests/e2e/same_spans.py" "$work/a.gait" "$work/b.gait" "$(basename "$trace")"
done
