#!/bin/sh
# `gait record` of jobs that end early, never step, profile themselves or are no PyTorch; and signals.
set -eu
gait=$1 root=$2
python=$root/.venv/bin/python
[ -x "$python" ] && "$python" -c 'import torch' 2>/dev/null || { echo "skipped: no PyTorch here"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$python" "$root/tests/record/record_jobs.py" "$gait" "$root/tests/record/jobs" "$work" \
    crashes no_optimizer own_profiler late_profiler no_torch own_site signals
