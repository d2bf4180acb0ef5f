#!/bin/sh
# docs/diagnose.md names every threshold of src/diagnose/thresholds.h with its value, every check and every question, and
# none that is not there; the schema has the same names.
set -eu
root=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
docs=$root/docs/diagnose.md

same() { # what: $work/code and $work/docs are lists
    [ -s "$work/code" ] || { echo "no $1 were found in the code"; exit 1; }
    diff "$work/code" "$work/docs" || { echo "$1: < in the code alone, > in docs/diagnose.md alone"; exit 1; }
    echo "$(wc -l <"$work/code") $1"
}
section() { sed -n "/^## $1/,/^## [^$(printf %.1s "$1")]/p" "$docs" | grep '^|'; }

sed -n 's/^#define \([A-Z_]*\) \([0-9.]*\).*/\1 \2/p' "$root/src/diagnose/thresholds.h" |
    awk '{ print $1, $2 + 0 }' | sort >"$work/code"
section Thresholds | sed -n 's/^| `\([A-Z_]*\)` | \([0-9.]*\).*/\1 \2/p' | awk '{ print $1, $2 + 0 }' | sort >"$work/docs"
same thresholds

sed -n 's/^    E(check_[a-z_]*, "\([a-z-]*\)").*/\1/p' "$root/src/diagnose/checks.h" >"$work/code"
section Checks | sed -n 's/^| \([a-z][a-z-]*\) |.*/\1/p' | grep -v '^check$' >"$work/docs"
same checks

sed -n 's/^    E([A-Z]*, "\([a-z-]*\)", ".*?").*/\1/p' "$root/src/diagnose/questions.h" >"$work/code"
section Still | sed -n 's/^| \([a-z][a-z-]*\) |.*/\1/p' | grep -v '^question$' >"$work/docs"
same questions

for name in $(sed -n 's/^    E([A-Za-z_]*, "\([a-z-]*\)".*/\1/p' "$root/src/diagnose/checks.h" "$root/src/diagnose/questions.h"); do
    grep -q "\"$name\"" "$root/docs/schema/diagnose.schema.json" || { echo "the schema does not have $name"; exit 1; }
done
