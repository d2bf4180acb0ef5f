#!/bin/sh
# Random damage to generated and real traces, plain and gzip, in one process: sound answers or refusals, no crash,
# bounded time and memory.
#   mutated_traces_end_well.sh GAIT ROOT [RUNS] [SEED]     (2000 of each unless said otherwise; a big run: 100000)
set -eu
gait=$1 root=$2 runs=${3:-2000} seed=${4:-1}
tools=$(dirname "$gait")/tests
traces=$root/../shared/traces
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

make() { # number options…
    name=$work/$1.json
    shift
    "$tools/generate_trace" --layers 2 --steps 1 "$@" -o "$name"
}
make 1 --dialect us --python --flows
make 2 --dialect epoch-ns --shapes --memory --compact
make 3 --dialect relative-ns --vendor amd --graphs --gzip
make 4 --old --bare --flows
make 5 --dialect relative-ns --base footer --rank-in footer --shuffle --gzip --compact
"$tools/mutate_traces" --seed "$seed" --runs "$runs" "$work"/*.json

[ -f "$traces/INVENTORY.tsv" ] || { echo "skipped: the real traces are not here"; exit 77; }
# Small ones: at most 100 KB compressed and 350 KB of text.
tail -n +2 "$traces/INVENTORY.tsv" | awk -F'\t' -v d="$traces/" '$3 < 1e5 && $4 < 350000 { print d $1 }' >"$work/list"
# shellcheck disable=SC2046
"$tools/mutate_traces" --seed "$seed" --runs "$runs" $(cat "$work/list")
