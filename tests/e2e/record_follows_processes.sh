#!/bin/sh
# `gait record` of jobs with workers, ranks, forks and compilers.
set -eu
gait=$1 root=$2
python=$root/.venv/bin/python
[ -x "$python" ] && "$python" -c 'import torch' 2>/dev/null || { echo "skipped: no PyTorch here"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$python" "$root/tests/record/record_jobs.py" "$gait" "$root/tests/record/jobs" "$work" \
    loader_workers two_ranks ranks_that_talk forks compiled
