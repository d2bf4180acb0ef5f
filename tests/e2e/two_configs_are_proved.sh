#!/bin/sh
# Two configs are trained in turns: forms of one model pass but for time, which a busy machine may leave unsure; another model
# proves nothing; a change of the learning rate is told by a parameter's name; checkpoints are neither read nor written; after
# equal time the one that learns less fails.
set -eu
gait=$(realpath "$1")
cd "$(mktemp -d)"
trap 'rm -rf "$PWD"' EXIT
fail() { echo "$1"; cat out err; exit 1; }

config() { # NAME LINE…
    name=$1
    shift
    printf '%s\n' 'layers: 2' 'heads: 2' 'width: 32' 'context: 16' 'batch_size: 8' 'steps: 50' 'warmup_steps: 0' \
        'builtin_chars: 20000' "$@" >"$name.yaml"
}
verify() {
    code=0
    "$gait" verify "$@" --budget 1 >out 2>err || code=$?
}
passes() { grep -Eq "^$1 .* PASS " out || fail "$1 does not pass"; }

config base
config slow 'attention: plain' 'fused_qkv: false' 'engine: reference'
verify slow.yaml base.yaml --junit j.xml --markdown m.md
for gate in "same logits" "same gradients" "same movement" "same losses" deterministic files; do passes "$gate"; done
grep -q '<testsuite name="gait verify" tests="9"' j.xml || fail "no JUnit"
grep -q '^| same gradients |' m.md || fail "no Markdown"

config faster 'learning_rate: 0.01'
verify base.yaml faster.yaml
[ $code = 1 ] && grep -Eq "^same movement .* FAIL .*worst: [a-z]" out || fail "another learning rate is not told"
passes "same gradients"

config small 'batch_size: 4'
sed -i '/batch_size: 8/d' small.yaml
verify base.yaml small.yaml
[ $code = 3 ] && grep -q "nothing is proved: a step of the first is 8 sequences" err || fail "half a batch proves something"

# what a folder of checkpoints holds is of no matter to the comparison, and stays as it is
config saved 'checkpoint_dir: kept' 'checkpoint_interval: 20'
"$gait" train saved.yaml >out 2>err || fail "does not train"
before=$(find kept -type f -exec sha256sum {} + | sort)
verify saved.yaml saved.yaml
passes "same movement"
[ "$before" = "$(find kept -type f -exec sha256sum {} + | sort)" ] || fail "the checkpoints changed"

# what both have learned after the same time: a rate of 0 learns nothing; asked for, it is a gate more
grep -q "equal time" out && fail "a gate that nobody asked for"
config still 'learning_rate: 0' 'min_learning_rate: 0'
verify base.yaml still.yaml --equal-time 1
[ $code = 1 ] && grep -Eq "^loss at equal time .* FAIL .*nats after [0-9]+ and [0-9]+ steps" out || fail "a worse loss passes"
verify still.yaml base.yaml --equal-time 1
passes "loss at equal time"

# some tensors stay where they are: another training, and the gates say so
config some 'top_k: 4'
verify base.yaml some.yaml --equal-time 1
passes "same gradients"
passes deterministic
[ $code = 1 ] && grep -Eq "^same movement .* FAIL " out || fail "tensors that were left out moved alike"
grep -q "^loss at equal time .* standard errors" out || fail "no loss at equal time"

echo 'min_speedup: 1000' >targets.yaml
verify base.yaml base.yaml --targets targets.yaml
[ $code = 1 ] || fail "a thousandfold speed-up is reached"
verify base.yaml base.yaml --targets base.yaml
[ $code = 3 ] && grep -q 'no target is called "layers"' err || fail "a config is taken for targets"

"$gait" ablate saved.yaml --budget 8 >out 2>err || fail "no ablation"
for row in "fast products" "tiled attention" "bf16"; do grep -q "^$row .* yes$" out || fail "no row: $row"; done
grep -q 'at most .*speed-up .*predicted .*all so far' out || fail "nothing was expected of an optimisation"
