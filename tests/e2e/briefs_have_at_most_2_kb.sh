#!/bin/sh
# --brief of jobs with names of 10 KB, of sources with 600 findings, of 300 questions: at most 2,048 bytes, with what was left out counted.
set -eu
gait=$1 root=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
PYTHONDONTWRITEBYTECODE=1 python3 "$root/tests/e2e/briefs.py" "$gait" "$root" "$work"
