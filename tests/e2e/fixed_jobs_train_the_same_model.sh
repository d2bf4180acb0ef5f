#!/bin/sh
# Every job of the corpus of truth runs, and its fix keeps the losses; the harness that measures them is right.
set -eu
root=$2
export GAIT="$1"
python=$root/.venv/bin/python
[ -x "$python" ] || { echo "skipped: scripts/install-deps --oracles has not run"; exit 77; }
"$python" "$root/tests/truth/check_jobs.py"
"$python" "$root/tests/truth/self_test.py"
