#!/bin/sh
# Every --json output of real traces, sources and a trained model is what docs/schema/ says; a planted wrong
# field is not. Skips where scripts/install-oracles has not put jsonschema into .venv.
set -eu
gait=$1 root=$2
python=$root/.venv/bin/python
[ -x "$python" ] || { echo "skipped: no .venv (scripts/install-oracles)"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
PYTHONDONTWRITEBYTECODE=1 "$python" "$root/tests/e2e/json_schemas.py" "$gait" "$root" "$work"
