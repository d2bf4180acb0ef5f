#!/bin/sh
# The steps of examples/ci, as they stand there and as runners run them: what they print, leave and post, and their exit codes.
# Skips without tree-sitter, and where .venv has no parser of YAML (scripts/install-oracles).
set -eu
gait=$(realpath "$1") root=$(realpath "$2")
python=$root/.venv/bin/python
"$gait" version | grep -q '^lint: yes' || { echo "skipped: this build has no tree-sitter"; exit 77; }
[ -x "$python" ] || { echo "skipped: no .venv (scripts/install-oracles)"; exit 77; }
command -v curl >/dev/null || { echo "skipped: no curl"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
PYTHONDONTWRITEBYTECODE=1 "$python" "$root/tests/e2e/examples_of_ci.py" "$gait" "$root" "$work"
