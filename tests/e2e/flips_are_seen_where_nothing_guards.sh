#!/bin/sh
# What tests/campaign/flips finds, it can find: token files that others wrote have no hashes, so a flipped bit of one
# must be listed as silent, and the same tokens prepared by the program must not.
#   flips_are_seen_where_nothing_guards.sh GAIT ROOT
set -eu
gait=$1
tool=$(dirname "$gait")/tests/flip_files
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

awk 'BEGIN { for (i = 0; i < 400; i++) printf "%c", 97 + i * i % 23 }' >"$dir/text.txt"
"$gait" data prepare "$dir/text.txt" -o "$dir/prepared" -t bytes --validation-fraction 0.5 >"$dir/log"
mkdir "$dir/raw"
cp "$dir/prepared/train-00000.bin" "$dir/prepared/val-00000.bin" "$dir/raw"
printf '{"vocab_size": 65536}' >"$dir/raw/meta.json"

"$tool" tokens flip "$dir/prepared" train-00000.bin --count 200 >"$dir/log" 2>&1 ||
    { cat "$dir/log"; echo "damage of prepared tokens went unnoticed"; exit 1; }
if "$tool" tokens flip "$dir/raw" train-00000.bin --count 200 >"$dir/log" 2>&1; then
    cat "$dir/log"; echo "damage of raw tokens was not seen"; exit 1
fi
[ "$(grep -c '^silent ' "$dir/log")" = 200 ] || { cat "$dir/log"; echo "not all of 200 flips were seen"; exit 1; }
