#!/bin/sh
# A rank that was stopped during training is named by the others within 30 s, the job ends when the rank stays
# silent, and the same command goes on from the last checkpoint: the weights are, bit by bit, those of a job
# that was not disturbed. A rank that goes on in time is waited for, with the same weights too.
set -eu
gait=$1
work=$(mktemp -d)
job=
finish() {
    [ -z "$job" ] || kill -9 "$job" 2>/dev/null || true # its ranks end with it
    rm -rf "$work"
}
trap finish EXIT
command -v mpirun >/dev/null || { echo "skipped: no mpirun here"; exit 77; }
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

cat >"$work/config.yaml" <<'YAML'
layers: 2
heads: 2
width: 32
context: 32
batch_size: 4
steps: 200
warmup_steps: 5
eval_interval: 0
eval_batches: 1
builtin_chars: 20000
dropout: 0.1
threads: 1
checkpoint_interval: 5
YAML

train() { # folder option...
    folder=$1
    shift
    exec mpirun --oversubscribe -n 2 "$gait" train "$work/config.yaml" --checkpoint-dir "$folder" "$@"
}

wait_for() { # seconds command...: until it succeeds
    left=$(($1 * 10))
    shift
    until "$@"; do
        left=$((left - 1))
        [ $left -gt 0 ] || return 1
        sleep 0.1
    done
}

says() { grep -q "$1" "$work/err"; }

rank_process() { # of rank $1 of $job
    for pid in $(pgrep -P "$job"); do
        if tr '\0' '\n' <"/proc/$pid/environ" | grep -qx "OMPI_COMM_WORLD_RANK=$1"; then echo "$pid"; fi
    done
}

stop_rank_1() { # folder option...: begin a job and stop its rank 1 after a checkpoint
    train "$@" >"$work/out" 2>"$work/err" &
    job=$!
    wait_for 60 test -e "$1/latest" || { cat "$work/err"; echo "no checkpoint came"; exit 1; }
    rank1=$(rank_process 1)
    kill -STOP "$rank1"
    wait_for 30 says "rank 1 (process $rank1 on .*) has been silent for [0-9]* s: it was stopped" ||
        { cat "$work/err"; kill -KILL "$rank1"; echo "nobody named the stopped rank within 30 s"; exit 1; }
}

same_weights() { # folder
    for file in model.safetensors optimizer.safetensors; do
        cmp "$work/whole/step-00000200/$file" "$1/step-00000200/$file" || { echo "$1 ended with another $file"; exit 1; }
    done
}

(train "$work/whole" --rank-timeout 0 >/dev/null 2>"$work/err") || { cat "$work/err"; exit 1; }

stop_rank_1 "$work/silent" --rank-timeout 4 --rank-give-up 10
code=0
wait "$job" || code=$?
[ $code = 4 ] || { cat "$work/err"; echo "a job with a silent rank ended with $code, not 4"; exit 1; }
(train "$work/silent" >"$work/out" 2>"$work/err") || { cat "$work/err"; exit 1; }
says '^resume  from step' || { cat "$work/err"; echo "the job did not go on from a checkpoint"; exit 1; }
same_weights "$work/silent"

stop_rank_1 "$work/back" --rank-timeout 4
kill -CONT "$rank1"
wait "$job" || { cat "$work/err"; echo "the job did not go on with a rank that came back"; exit 1; }
job=
# by its number where it is still the one that is waited for when the watch looks again
says "rank 1 answers again" || says "the job goes on after" || { cat "$work/err"; echo "nobody said that the rank came back"; exit 1; }
same_weights "$work/back"
echo "a stopped rank was named, the job ended, and both ways of going on gave the same weights"
