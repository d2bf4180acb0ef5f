#!/bin/sh
# Random bytes, a text and a program named *.bin are trained on as tokens, but not in silence; tokens are.
set -eu
gait=$(realpath "$1")
source=$(realpath "$2")
cd "$(mktemp -d)"
trap 'rm -rf "$PWD"' EXIT

fail() { echo "$1"; cat err; exit 1; }
show() { "$gait" data show "$1" >out 2>err || fail "$1 cannot be shown"; }

head -c 40000 /dev/urandom >random.bin
show random.bin
grep -q "random.bin is taken as 20,000 tokens of 16 bits" err || fail "it is not said what random.bin is taken for"
grep -q "warning: random.bin does not look like tokens" err || fail "random bytes are taken as tokens in silence"
yes "Now is the winter of our discontent" | head -c 20000 >text.bin
show text.bin
grep -q "warning: text.bin looks like a text" err || fail "a text is taken as tokens in silence"
head -c 20000 "$gait" >program.bin
show program.bin
grep -q "warning: program.bin .* ELF" err || fail "a program is taken as tokens in silence"

cat "$source"/docs/*.md >docs.txt
"$gait" data prepare docs.txt -o tokens --tokenizer chars >/dev/null 2>&1
cp tokens/train-00000.bin chars.bin
show chars.bin
! grep -q "warning" err || fail "tokens are doubted"
"$gait" train "$source/examples/tiny.yaml" --dataset chars.bin --steps 1 --warmup-steps 0 --eval-batches 1 >out 2>err
grep -q "chars.bin is taken as" err && ! grep -q "warning: chars.bin" err || fail "train says nothing of its tokens, or doubts them"
