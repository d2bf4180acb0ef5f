#!/bin/sh
# Every script of tests/lint/seeds/ runs: what gait lint finds there is found in working programs.
set -eu
root=$2
python=$root/.venv/bin/python
[ -x "$python" ] && "$python" -c 'import numpy, PIL, torch' 2>/dev/null ||
    { echo "skipped: scripts/install-deps --oracles has not run"; exit 77; }
"$python" "$root/tests/lint/run_seeds.py"
