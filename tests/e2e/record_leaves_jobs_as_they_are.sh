#!/bin/sh
# `gait record` of training jobs of many styles: the same stdout and exit code, the right steps in the run.
set -eu
gait=$1 root=$2
python=$root/.venv/bin/python
[ -x "$python" ] && "$python" -c 'import torch' 2>/dev/null || { echo "skipped: no PyTorch here"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$python" "$root/tests/record/test_cycle.py" "$root/hook"
"$python" "$root/tests/record/test_hook.py" "$root/hook"
"$python" "$root/tests/record/record_jobs.py" "$gait" "$root/tests/record/jobs" "$work" \
    plain trainer_class two_optimizers accumulation amp hugging_face kept_results
