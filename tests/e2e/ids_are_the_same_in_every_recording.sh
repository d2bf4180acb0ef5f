#!/bin/sh
# The findings of each trace and source have ids of their own, `gait explain ID` is `gait explain NUMBER`, and recordings of one job share them.
set -eu
gait=$1 root=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
PYTHONDONTWRITEBYTECODE=1 python3 "$root/tests/e2e/ids.py" "$gait" "$root" "$work"
