#!/bin/sh
# Two MPI processes share the batch: their losses are those of one process, up to the order of sums.
set -eu
gait=$1 root=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
command -v mpirun >/dev/null || { echo "skipped: no mpirun here"; exit 77; }
options="--steps 40 --warmup-steps 10 --log-interval 1 --eval-interval 0 --eval-batches 4 --threads 1 --quiet"

as_one() { # OPTION…: one process and two
    rm -f "$work"/*.gait
    # shellcheck disable=SC2086
    "$gait" train "$root/examples/tiny.yaml" $options "$@" -o "$work/one.gait" >/dev/null
    # shellcheck disable=SC2086
    mpirun --allow-run-as-root --oversubscribe -n 2 \
        "$gait" train "$root/examples/tiny.yaml" $options "$@" -o "$work/two.gait" >/dev/null
    two=$(ls "$work"/two*gait | head -n 1)
    sqlite3 "$work/one.gait" "attach '$two' as two;
        select count(*), max(abs(a.loss - b.loss)) from losses a
            join two.losses b on a.step = b.step and a.split = b.split and b.rank = a.rank" >"$work/difference"
    cat "$work/difference"
    awk -F'|' '{ exit !($1 >= 40 && $2 < 1e-3) }' "$work/difference" ||
        { echo "two processes do not train as one does: $*"; exit 1; }
}
as_one
as_one --top-k 8 # both choose the same tensors

# What all of them notice one of them tells.
head -c 40000 /dev/urandom >"$work/tokens.bin"
mpirun --allow-run-as-root --oversubscribe -n 2 "$gait" train "$root/examples/tiny.yaml" --dataset "$work/tokens.bin" \
    --steps 1 --warmup-steps 0 --eval-batches 1 --threads 1 >/dev/null 2>"$work/said"
[ "$(grep -c "is taken as 20,000 tokens" "$work/said")" = 1 ] ||
    { cat "$work/said"; echo "each process tells what one should"; exit 1; }
