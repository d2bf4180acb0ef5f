#!/bin/sh
# A training killed with SIGKILL at random moments, saves included, and resumed until it is done
# ends with the same weights and moments, bit by bit, as one that was never killed.
#   killed_runs_resume_exactly.sh GAIT ROOT [RUNS]      (12 runs unless said otherwise)
# Runs alternate between f32 and bf16, and between saving after every step, where most kills hit a
# save, and after every seventh. Its last line says how many runs and kills there were.
set -eu
gait=$1
runs=${3:-12}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

cat > "$dir/config.yaml" <<'YAML'
layers: 2
heads: 2
width: 32
context: 32
batch_size: 4
steps: 60
warmup_steps: 5
eval_interval: 0
eval_batches: 1
builtin_chars: 20000
dropout: 0.1
threads: 2
checkpoint_keep: 2
YAML

train() { # precision interval folder; takes the shell's place, so that a kill hits the program itself
    exec "$gait" train "$dir/config.yaml" --precision "$1" --checkpoint-interval "$2" \
        --checkpoint-dir "$3" >"$dir/out" 2>"$dir/err"
}

random() { # of 0 … 399, from run and attempt
    awk -v s="$1" -v k="$2" 'BEGIN { srand(s * 1000 + k); print int(400 * rand()) }'
}

for precision in f32 bf16; do
    (train $precision 60 "$dir/whole-$precision") || { cat "$dir/err"; exit 1; }
done

kills=0 resumes=0 run=0
while [ $run -lt "$runs" ]; do
    run=$((run + 1))
    precision=f32 interval=1
    [ $((run % 2)) = 0 ] && precision=bf16
    [ $((run / 2 % 2)) = 0 ] && interval=7
    attempt=0 done=no
    while [ $done = no ]; do
        attempt=$((attempt + 1))
        train $precision $interval "$dir/killed" &
        child=$!
        if [ $attempt -le 12 ]; then
            ms=$((40 + $(random $run $attempt)))
            sleep "$(awk -v ms=$ms 'BEGIN { print ms / 1000 }')"
            if kill -9 $child 2>/dev/null; then kills=$((kills + 1)); fi
        fi
        if wait $child 2>/dev/null; then done=yes; fi
        if grep -q '^resume  from step' "$dir/err"; then resumes=$((resumes + 1)); fi
        if [ $done = no ] && [ $attempt -gt 12 ]; then
            echo "run $run did not finish:"; cat "$dir/err"; exit 1
        fi
    done
    for file in model.safetensors optimizer.safetensors; do
        if ! cmp "$dir/whole-$precision/step-00000060/$file" "$dir/killed/step-00000060/$file"; then
            echo "run $run ($precision, a save each $interval steps) ended with another $file"
            exit 1
        fi
    done
    rm -rf "$dir/killed"
done
[ $resumes -ge "$runs" ] || { echo "only $resumes starts went on from a checkpoint: nothing was shown"; exit 1; }
echo "$runs runs, $kills times killed, $resumes times gone on from a checkpoint: every end the same, bit by bit"
