#!/bin/sh
# Jobs with work that is needless in known ways: `gait record` and `analyze` name each, and the statement.
set -eu
gait=$1 root=$2
python=$root/.venv/bin/python
[ -x "$python" ] && "$python" -c 'import torch' 2>/dev/null || { echo "skipped: no PyTorch here"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for name in needless needless_parts; do
    seconds=8 # steps without it are for what can be left out
    [ "$name" = needless ] || seconds=0
    job=$root/tests/record/jobs/$name.py
    told() {
        "$gait" record -q -o "$work/$name.gait" --replacements "$seconds" --rounds 2 --stop-after -- "$python" "$job"
        "$python" "$root/tests/record/check_lines.py" "$gait" "$work/$name.gait" "$job"
    }
    told || { echo "once more: other programs may have spoilt it, but not twice in a row"; told; }
done
