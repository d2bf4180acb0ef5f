#!/bin/sh
# docs/whatif.md names every threshold of src/replay/build_*.c, and none that is not there.
set -eu
root=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sed -n 's/^static const [a-z0-9_]* \([A-Z][A-Z0-9_]*\) = .*/\1/p' "$root"/src/replay/build_*.c | sort >"$work/code"
sed -n '/^### Thresholds/,/^## /p' "$root/docs/whatif.md" | grep '^|' | grep -o '`[A-Z][A-Z0-9_]*`' | tr -d '`' |
    sort >"$work/docs"
[ -s "$work/code" ] || { echo "no thresholds were found in the code"; exit 1; }
diff "$work/code" "$work/docs" || { echo "< in the code alone, > in docs/whatif.md alone"; exit 1; }
echo "$(wc -l <"$work/code") thresholds"
