#!/bin/sh
# A whole dialogue over `gait mcp`: the client's tools find the planted cause of a slow job in its source and in a recording, explain it, the edit
# that lint gives is applied, and a second recording passes. Skips where scripts/install-oracles has not put mcp and torch into .venv.
set -eu
gait=$(realpath "$1") root=$(realpath "$2")
python=$root/.venv/bin/python
[ -x "$python" ] && "$python" -c 'import jsonschema, mcp, torch' 2>/dev/null || { echo "skipped: no mcp or no torch in .venv (scripts/install-oracles)"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
PYTHONDONTWRITEBYTECODE=1 "$python" "$root/tests/e2e/mcp_dialogue.py" "$gait" "$root" "$work"
