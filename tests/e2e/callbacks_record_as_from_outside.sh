#!/bin/sh
# The callbacks of examples/callbacks, in the real libraries: the job trains the same, and what they record is what `gait record` records.
set -eu
gait=$1 root=$2
python=$root/.venv/bin/python
[ -x "$python" ] && "$python" -c 'import torch' 2>/dev/null || { echo "skipped: no PyTorch here"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
PYTHONDONTWRITEBYTECODE=1 "$python" "$root/tests/record/callbacks.py" "$gait" "$root" "$work"
