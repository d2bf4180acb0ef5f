#!/bin/sh
# The harness that measures the corpus of truth finds known ratios, reads known rows and refuses what it must.
set -eu
root=$2
export GAIT="$1"
python=$root/.venv/bin/python
[ -x "$python" ] || { echo "skipped: scripts/install-deps --oracles has not run"; exit 77; }
exec "$python" "$root/tests/truth/self_test.py"
