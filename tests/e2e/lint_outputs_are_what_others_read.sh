#!/bin/sh
# JSON, SARIF and JUnit XML of findings are what their schemas say and name the same edits; annotations are read back as GitHub's
# runner does; diffs are applied by patch and git. Skips where scripts/install-oracles has not put jsonschema into .venv.
set -eu
gait=$1 root=$2
python=$root/.venv/bin/python
[ -x "$python" ] || { echo "skipped: no .venv (scripts/install-oracles)"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
PYTHONDONTWRITEBYTECODE=1 "$python" "$root/tests/e2e/lint_outputs.py" "$(dirname "$gait")/tests/write_lint" "$root" "$work"
