#!/bin/sh
# Gates as Markdown and as JUnit XML are what parsers make of them: names that hold markup, HTML, mentions or control characters
# stay text. Skips where .venv has no parser of Markdown (scripts/install-oracles).
set -eu
gait=$1 root=$2
python=$root/.venv/bin/python
[ -x "$python" ] || { echo "skipped: no .venv (scripts/install-oracles)"; exit 77; }
PYTHONDONTWRITEBYTECODE=1 "$python" "$root/tests/e2e/gates_are_what_others_read.py" "$(dirname "$gait")/tests/write_gates"
