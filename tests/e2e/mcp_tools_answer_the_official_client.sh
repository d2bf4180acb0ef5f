#!/bin/sh
# `gait mcp` and the official Python client, with and without a handshake: every tool, brief and whole, what is refused and how, progress,
# cancelling, time limits, --read-only. Skips where scripts/install-oracles has not put mcp into .venv.
set -eu
gait=$(realpath "$1") root=$(realpath "$2")
python=$root/.venv/bin/python
[ -x "$python" ] && "$python" -c 'import jsonschema, mcp' 2>/dev/null || { echo "skipped: no mcp in .venv (scripts/install-oracles)"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
PYTHONDONTWRITEBYTECODE=1 "$python" "$root/tests/e2e/mcp_tools.py" "$gait" "$root" "$work"
