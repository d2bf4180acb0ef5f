#!/bin/sh
# docs/many-ranks.md: xargs, a Slurm array (its script's body, task by task: there is no Slurm here) and,
# where Open MPI is installed, mpirun; each gives the same run files, and the analysis of all of them.
set -eu
gait=$1 root=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/traces"
ln -s "$gait" "$work/bin/gait"
PATH=$work/bin:$PATH
for rank in 0 1 2 3 4; do
    sed "s/\"rank\": 0/\"rank\": $rank/; s/\"world_size\": [0-9]*/\"world_size\": 5/" \
        "$root/examples/three_steps.trace.json" >"$work/traces/a rank$rank.json"
done
cd "$work"
ls -d "$work"/traces/*.json >traces.txt

sums() { # of the run files, which are then gone
    for run in traces/*.gait; do sqlite3 "$run" .dump | cksum; rm "$run"; done
}

find traces -name '*.json' -print0 | xargs -0 -P 2 -I{} gait import -q --threads 1 {} -o {}.gait
gait analyze 'traces/*.gait' >analysis
grep -q '^5 ranks' analysis || { cat analysis; exit 1; }
sums >xargs.sums
[ "$(wc -l <xargs.sums)" = 5 ]

for task in 0 1; do
    SLURM_ARRAY_TASK_ID=$task SLURM_ARRAY_TASK_COUNT=2 sh "$root/examples/import-array.sbatch" traces.txt
done
sums >slurm.sums
# The path that a run remembers differs: relative with xargs, whole in the list.
[ "$(wc -l <slurm.sums)" = 5 ]

# Nothing that is missing stops the others.
echo "$work/traces/none.json" >>traces.txt
if "$root/examples/import-share.sh" traces.txt 2>share.err; then echo "a missing trace went unnoticed"; exit 1; fi
grep -q 'none.json' share.err
sums | cmp - slurm.sums
sed -i '$d' traces.txt

if command -v mpirun >mpirun.path; then
    mpirun --allow-run-as-root --oversubscribe -np 2 "$root/examples/import-share.sh" traces.txt
    sums | cmp - slurm.sums
    echo "xargs, Slurm's script by hand and mpirun: the same run files"
else
    echo "xargs and Slurm's script by hand: the same run files; mpirun is not installed"
fi
