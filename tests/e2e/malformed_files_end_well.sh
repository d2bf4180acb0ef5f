#!/bin/sh
# A sample of the malformed traces (tests/tools/malformed) through the program itself: the exit code that the
# corpus says, within 20 s and 1 GB of address space.
set -eu
gait=$1
every=${3:-12}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$(dirname "$gait")/tests/check_malformed" --write "$work" "$every"
n=0 bad=0
while read -r file want case; do
    n=$((n + 1)) got=0
    (ulimit -v "${GAIT_TEST_MEMORY_KB:-1000000}" && exec timeout 20 "$gait" analyze --json --quiet "$work/$file") \
        >"$work/out" 2>"$work/err" || got=$?
    [ "$want" = either ] && { [ $got = 0 ] || [ $got = 3 ]; } && continue
    [ "$want" = $got ] && continue
    echo "$case: exit code $got and not $want: $(head -n 1 "$work/err")"
    bad=$((bad + 1))
done <"$work/expected"
echo "$n malformed files, $bad did not end as they should"
[ $bad = 0 ]
