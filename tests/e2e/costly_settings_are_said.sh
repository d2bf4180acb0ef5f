#!/bin/sh
# On a CPU without bf16 instructions oneDNN is slower in bf16 than in f32: train warns, profile tries f32 and has it as a
# finding with the times of steps. More threads than cores are said by both.
set -eu
gait=$(realpath "$1")
source=$(realpath "$2")
cd "$(mktemp -d)"
trap 'rm -rf "$PWD"' EXIT

small="--steps 1 --warmup-steps 0 --layers 1 --eval-batches 1 --eval-interval 0 --builtin-chars 100000
    --profile-steps 3 --profile-warmup 1"
many=$(($(nproc) + 1)) # far more would take minutes on a busy machine, which is the point
fail() { echo "$1"; cat err out; exit 1; }

"$gait" train "$source/examples/tiny.yaml" $small --threads $many >out 2>err
grep -q "warning: threads: $many, and this process may use [0-9]* core" err || fail "$many threads are not said by train"
"$gait" train "$source/examples/tiny.yaml" $small --threads 1 >out 2>err
! grep -q "warning" err || fail "a warning about one thread in f32"
"$gait" profile "$source/examples/tiny.yaml" $small --threads $many -o p.gait >out 2>err
grep -q "warning: threads: $many" err || fail "$many threads are not said by profile"

if [ "$(uname -m)" != x86_64 ] || grep -qE 'avx512_bf16|amx_bf16' /proc/cpuinfo; then
    echo "skipped: this CPU multiplies bf16 by itself, so that either precision may be faster"
    exit 77
fi
said() { # both are measured: other programs may spoil that, but not three times in a row
    for try in 1 2 3; do
        "$gait" train "$source/examples/tiny.yaml" $small --precision bf16 --engine onednn --threads 1 >out 2>err
        ! grep -q "warning: bf16 is slower than f32 here (this CPU has no bf16 instructions).*set precision: f32" err || return 0
    done
    return 1
}
said || fail "slow bf16 is not said by train"
"$gait" profile "$source/examples/tiny.yaml" $small --precision bf16 --engine onednn --threads 1 -o p.gait >out 2>err
"$gait" explain trainer-bf16 p.gait >out 2>err || fail "slow bf16 cannot be explained"
grep -q "^    precision: f32" out && grep -q "pairs of steps" out || fail "slow bf16 is no finding with its times and its fix"
