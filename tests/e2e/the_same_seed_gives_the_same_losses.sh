#!/bin/sh
# Two runs with one seed give bitwise the same losses; another seed does not.
set -eu
gait=$1 root=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
losses() { # file: every loss of the run, all bits
    sqlite3 "$1" "select step, split, printf('%!.17g', loss), printf('%!.17g', gradient_norm) from losses order by 2, 1"
}
for run in a b c; do
    seed=7
    [ $run = c ] && seed=8
    "$gait" train "$root/examples/tiny.yaml" --steps 80 --warmup-steps 10 --log-interval 1 --eval-interval 40 \
        --eval-batches 10 --seed $seed -o "$work/$run.gait" --quiet >/dev/null
    losses "$work/$run.gait" >"$work/$run.txt"
done
[ "$(wc -l <"$work/a.txt")" -ge 80 ] || { echo "too few losses were recorded"; exit 1; }
cmp "$work/a.txt" "$work/b.txt" || { echo "two runs of one seed differ"; exit 1; }
cmp -s "$work/a.txt" "$work/c.txt" && { echo "another seed changes nothing"; exit 1; }
echo "$(wc -l <"$work/a.txt") losses are bitwise the same"
