#!/bin/sh
# Generated traces in every dialect: each figure of `gait import` and `gait analyze --json` is exactly the
# one that the generator knows by construction (tests/tools/generate).
set -eu
gait=$1 root=$2
command -v python3 >/dev/null || { echo "skipped: no python3 here"; exit 77; }
python3 -c 'import sqlite3' 2>/dev/null || { echo "skipped: python3 has no sqlite3"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
PYTHONDONTWRITEBYTECODE=1 python3 "$root/tests/e2e/generated_answers.py" "$gait" \
    "$(dirname "$gait")/tests/generate_trace" "$work"
