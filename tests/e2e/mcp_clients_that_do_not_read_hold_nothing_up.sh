#!/bin/sh
# Clients of `gait mcp` that do not read, read late, or go away: the server keeps its promises. Plain Python, no package of the protocol.
set -eu
gait=$(realpath "$1") root=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
PYTHONDONTWRITEBYTECODE=1 python3 "$root/tests/e2e/mcp_no_reader.py" "$gait" "$work"
