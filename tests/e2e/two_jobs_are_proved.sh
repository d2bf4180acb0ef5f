#!/bin/sh
# `gait verify --ab`: two unedited PyTorch jobs step in turns. A faster form of the same model passes, the same job twice is not told
# apart, a frozen group is named, a job without a seed is not compared, one that dies or ends early is said; no process and no folder stays.
set -eu
gait=$(realpath "$1") root=$2
python=$root/.venv/bin/python
[ -x "$python" ] && "$python" -c 'import torch' 2>/dev/null || { echo "skipped: no PyTorch here"; exit 77; }
cd "$(mktemp -d)"
trap 'rm -rf "$PWD"' EXIT
mkdir tmp
export TMPDIR="$PWD/tmp" OMP_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE=1
fail() { echo "$1"; cat out err; exit 1; }
job="$python $root/tests/record/jobs/learns.py"

verify() { # BEFORE AFTER [OPTION…]
    before=$1 after=$2 code=0
    shift 2
    "$gait" verify --ab "$job $before" "$job $after" "$@" >out 2>err || code=$?
    [ -z "$(find tmp -name "gait-record-*")" ] || fail "a folder stays behind"
    if ps -eo args | grep "learns.py.* 12345$" | grep -v grep; then fail "a process stays behind"; fi
}
verdict() { grep -Eq "^$1 .* $2 " out || fail "$1 is not $2"; }
models_pass() { for gate in "same losses" "same gradients" "same movement"; do verdict "$gate" PASS; done; }

verify "slow 12345" "sdpa 12345" --junit j.xml --markdown m.md
verdict "step time" PASS
grep -Eq '^step time .*: faster; ' out || fail "a job without the pause is not told to be faster"
models_pass
grep -q '^before: .*learns.py slow 12345$' out || fail "the commands are not shown"
grep -q '<testsuite name="gait verify" tests="5"' j.xml || fail "no JUnit"
grep -q '^| same gradients |' m.md || fail "no Markdown"

# noise of a busy machine within a wide margin, and the losses bit by bit
echo 'min_speedup: 0.5' >targets.yaml
verify "'' 12345" "'' 12345" --budget 5 --targets targets.yaml
if grep -Eq '^(step time|peak memory) .* FAIL ' out; then fail "the same job twice is told apart"; fi
models_pass
grep -q '^same losses .*bitwise equal' out || fail "the same job twice is not the same bit by bit"

verify "'' 12345" "frozen 12345" --budget 1
[ $code = 1 ] && grep -Eq '^same movement .* FAIL .*blocks\.1\.mlp\.0\.weight' out || fail "a frozen group is not named"

verify "'' 12345" "unseeded 25" --budget 1
grep -q '^same losses .* N/A .*set a seed' out || fail "a job without a seed is compared"
grep -q 'the training of the second job was over' err || fail "it is not said that a job ended by itself"

verify "'' 12345" "dies 12345" --budget 60
[ $code = 3 ] && grep -q 'RuntimeError: planted' err && grep -q 'the second job .* failed with exit code 1' err || fail "a death is not said"
verify "'' 5" "'' 12345"
[ $code = 3 ] && grep -q 'the first job .* ended by itself after 5 optimizer steps' err || fail "too short a job is not said"
