#!/bin/sh
# The patch that `gait lint --diff` writes for each job of tests/lint/jobs.tsv applies, and the patched job learns the same.
set -eu
root=$2
export GAIT="$1"
python=$root/.venv/bin/python
[ -x "$python" ] && "$python" -c 'import torch' 2>/dev/null || { echo "skipped: scripts/install-deps --oracles has not run"; exit 77; }
"$GAIT" lint --diff "$root/tests/lint/jobs/captions_project" 2>/dev/null | grep -q '^+.*detach' ||
    { echo "skipped: built without the parser of gait lint"; exit 77; }
command -v patch > /dev/null || { echo "skipped: there is no patch(1) here"; exit 77; }
"$python" "$root/tests/lint/check_patches.py"
