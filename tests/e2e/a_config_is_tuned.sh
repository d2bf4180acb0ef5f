#!/bin/sh
# A config that is set badly is tuned: what is plainly slower is replaced, the config that is written says why and trains; a
# search that was killed goes on with what it knows; what is to be kept is kept.
set -eu
gait=$(realpath "$1")
cd "$(mktemp -d)"
trap 'rm -rf "$PWD"' EXIT
fail() { echo "$1"; cat out err; exit 1; }

printf '%s\n' 'layers: 2' 'heads: 2' 'width: 64' 'context: 32' 'batch_size: 8' 'steps: 50' 'warmup_steps: 0' 'builtin_chars: 20000' \
    'engine: reference' 'gradient_accumulation: 8' 'threads: 1' 'precision: f32' >bad.yaml

# killed as soon as something is known, then the same command
"$gait" tune bad.yaml -o tuned.yaml --budget 20 --keep precision,threads >out 2>err &
job=$!
i=0
until [ "$(wc -l 2>/dev/null <tuned.yaml.trials || echo 0)" -ge 3 ]; do
    i=$((i + 1))
    [ $i -lt 600 ] || fail "nothing was tried"
    sleep 0.1
done
kill -9 $job
wait $job 2>/dev/null || true
[ ! -e tuned.yaml ] || fail "a config was written before the search ended"
"$gait" tune bad.yaml -o tuned.yaml --budget 20 --keep precision,threads --overhead 5 >out 2>err || fail "does not tune"
grep -q 'comparisons are known from an earlier search' err || fail "does not go on"
grep -q '^A step takes .* and it is the same model' out || fail "the slow reference was not replaced"
grep -Eq '^  engine: auto +# was reference: .*alone' tuned.yaml || fail "no reason beside the line"
grep -Eq '^  eval_interval: [0-9]+ +# one takes' tuned.yaml || fail "no interval"
grep -Eq '^  threads: 1 ' tuned.yaml || fail "what is to be kept was changed"
"$gait" train tuned.yaml --eval-batches 1 >out 2>err || fail "the tuned config does not train"

code=0
"$gait" tune bad.yaml --keep presicion >out 2>err || code=$?
[ $code = 2 ] && grep -q 'did you mean precision' err || fail "a wrong name is taken"
code=0
"$gait" tune bad.yaml -o nothere/tuned.yaml >out 2>err || code=$?
[ $code != 0 ] && grep -q nothere err || fail "a folder that is not there"
