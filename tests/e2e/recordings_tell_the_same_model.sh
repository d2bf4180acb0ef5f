#!/bin/sh
# `gait verify` of two recordings: the same job passes, planted faults are named, a job without a seed is not compared.
set -eu
gait=$1 root=$2
python=$root/.venv/bin/python
[ -x "$python" ] && "$python" -c 'import torch' 2>/dev/null || { echo "skipped: no PyTorch here"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$python" "$root/tests/record/same_model.py" "$gait" "$root/tests/record/jobs" "$work"
