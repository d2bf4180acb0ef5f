#!/bin/sh
# Jobs of the corpus of truth run, one of each cause, and their fixes keep the losses.
# All of them: tests/truth/check_jobs.py without options, as `make oracle` does.
set -eu
root=$2
export GAIT="$1"
python=$root/.venv/bin/python
[ -x "$python" ] || { echo "skipped: scripts/install-deps --oracles has not run"; exit 77; }
"$python" "$root/tests/truth/check_jobs.py" --each-cause
