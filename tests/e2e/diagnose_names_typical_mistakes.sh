#!/bin/sh
# What people get wrong before a training is named with what to do: a batch that does not fit, data that is not there, a folder
# that cannot be written to, a disk that is too small, more threads than cores, a checkpoint that training would go on from. A good config ends with 0 and
# a time; nothing is left on the disk.
#   diagnose_names_typical_mistakes.sh GAIT ROOT
set -eu
gait=$(realpath "$1")
cd "$(mktemp -d)"
trap 'rm -rf "$PWD"' EXIT

cat >small.yaml <<'YAML'
layers: 1
heads: 2
width: 32
context: 16
batch_size: 4
steps: 8
warmup_steps: 2
eval_batches: 2
builtin_chars: 20000
threads: 1
YAML

fail() { echo "$1"; cat out err; exit 1; }
diagnose() { # exit code, words…
    expected=$1
    shift
    status=0
    "$gait" diagnose small.yaml --probe-steps 3 "$@" >out 2>err || status=$?
    [ $status = "$expected" ] || fail "exit code $status instead of $expected: $*"
}
expect() { grep -q -- "$1" out || fail "no \"$1\" in this:"; }

diagnose 0
expect '^Time: .* per step, measured over 3 steps → 8 steps in .* (.* to .*)$'
expect '^      with 1 validation of .*, measured once$'
expect '^Still slow?'
expect '^  does it wait for data?  .* % of a step$'
expect '^Next: '
[ "$(ls)" = "$(printf 'err\nout\nsmall.yaml')" ] || fail "something is left: $(ls)"

diagnose 1 --batch-size 1000000 --width 512
expect '^FAIL  batch_size 1000000 needs .* are left'
expect 'Largest that fits: batch_size [0-9]*'
expect '^Time: not available: the memory plan does not fit$'
diagnose 1 --dataset nothere.txt
expect '^FAIL  .*nothere.txt'
expect '^Time: not available: the data could not be opened$'
printf 'too short' >short.txt
diagnose 1 --dataset short.txt
expect '^FAIL  short.txt has .* tokens'
diagnose 1 --warmup-steps 50
expect '^FAIL  warmup_steps 50 is more than steps 8'
diagnose 1 --checkpoint-dir small.yaml/out
expect '^FAIL  no checkpoint can be written to small.yaml/out: small.yaml is a file'
diagnose 1 --checkpoint-dir /proc/out
expect '^FAIL  no checkpoint can be written to /proc/out'
diagnose 0 --threads $(($(nproc) + 1)) --gradient-clip 0 --learning-rate 5
expect '^WARN  threads [0-9]*: this process may use'
expect '^WARN  gradient_clip 0: no clipping; loss spikes will not be caught  *set gradient_clip: 1.0$'
expect '^WARN  learning_rate 5 is far above'

"$gait" train small.yaml --checkpoint-dir saved >/dev/null 2>&1
diagnose 0 --checkpoint-dir saved --steps 16
expect '^WARN  training goes on from saved/step-00000008, step 8 of 16$\|^WARN  training goes on from saved/step-00000008, step 8 of 16  '
expect '→ 8 steps in'
diagnose 1 --checkpoint-dir saved --resume never
expect '^FAIL  saved has a checkpoint already and resume is never'
diagnose 1 --checkpoint-dir saved --width 64
expect '^FAIL  .*width'
[ "$(ls -A saved | grep -c diagnose)" = 0 ] || fail "something is left in saved"

# No file may grow beyond 32 KiB: the checkpoint cannot be written, and that is said before any training.
status=0
(ulimit -f 64; "$gait" diagnose small.yaml --width 64 --probe-steps 3 --checkpoint-dir limited >out 2>err) || status=$?
[ $status = 1 ] || fail "exit code $status with a limit on files"
expect '^FAIL  no checkpoint can be written to limited: '
[ -z "$(ls -A | grep diagnose)" ] || fail "something is left: $(ls -A)"
