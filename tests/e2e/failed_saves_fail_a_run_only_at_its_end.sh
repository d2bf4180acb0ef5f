#!/bin/sh
# A disk that takes no checkpoint: every save warns, says when the next one is tried, and leaves nothing behind;
# training goes on, its result is told, and the run ends with exit code 4, on one rank and on two. When there is
# room again, the same command goes on.
#   failed_saves_fail_a_run_only_at_its_end.sh GAIT ROOT
set -eu
gait=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

cat > "$dir/config.yaml" <<'YAML'
layers: 1
heads: 2
width: 32
context: 16
batch_size: 4
steps: 8
warmup_steps: 2
eval_interval: 0
eval_batches: 1
builtin_chars: 20000
threads: 1
checkpoint_interval: 3
YAML

fail() { echo "$1"; cat "$dir/out" "$dir/err"; exit 1; }

expect() { # file text
    grep -q -- "$2" "$dir/$1" || fail "no \"$2\" in $1 of this run:"
}

# No file may grow beyond 2 KiB (4 blocks of 512 bytes): the weights do not fit.
# Shared memory of MPI would not either: ranks talk over TCP.
train() { # ranks
    rm -rf "$dir/checkpoints"
    set -- "$1" sh -c "ulimit -f 4; exec \"\$@\"" sh \
        "$gait" train "$dir/config.yaml" --checkpoint-dir "$dir/checkpoints"
    ranks=$1
    shift
    if [ "$ranks" -gt 1 ]; then
        set -- env OMPI_MCA_btl=self,tcp mpirun --allow-run-as-root --oversubscribe -n "$ranks" "$@"
    fi
    code=0
    timeout 120 "$@" >"$dir/out" 2>"$dir/err" || code=$?
}

check() { # ranks
    train "$1"
    [ $code = 4 ] || fail "exit code $code instead of 4 on $1 ranks:"
    expect err 'warning: step 3 is not saved: .*File too large.* the next save is tried after step 6 of 8'
    expect err 'warning: step 6 is not saved: .* the next save is tried after step 8 of 8'
    expect err 'the training is not saved as of step 8 of 8 (3 saves failed): .*; there is no checkpoint'
    expect out '^validation loss'
    expect out '(3 saves failed)'
    left=$(ls "$dir/checkpoints" | grep -v '^lock$' || true)
    [ -z "$left" ] || fail "left in the folder: $left"
}

check 1
if command -v mpirun >/dev/null; then
    check 2
else
    echo "no mpirun here: two ranks were not tried"
fi
"$gait" train "$dir/config.yaml" --checkpoint-dir "$dir/checkpoints" --quiet >/dev/null
[ -f "$dir/checkpoints/step-00000008/model.safetensors" ] || { echo "no checkpoint after the last run"; exit 1; }
