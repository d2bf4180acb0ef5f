#!/bin/sh
# Clocks, waits, stragglers and causes that `gait analyze` finds in generated jobs are those they were made
# with, to the nanosecond.
set -eu
gait=$1 root=$2
generate=$(dirname "$gait")/tests/generate_trace
[ -x "$generate" ] || { echo "skipped: no generate_trace in this build"; exit 77; }
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 "$root/tests/e2e/generated_clocks.py" "$gait" "$generate" "$work"
