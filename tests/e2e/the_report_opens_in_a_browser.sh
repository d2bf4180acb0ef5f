#!/bin/sh
# The HTML report in a real browser: scripts run, nothing is logged as an error, the timeline is drawn.
# Skips where Chromium is absent (scripts/install-deps --report).
set -eu
gait=$1 root=$2
command -v chromium >/dev/null || { echo "skipped: no chromium here"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$gait" report -q "$root/examples/three_steps.trace.json" -o "$work/r.html"
browser() {
    HOME=$work chromium --headless=new --no-sandbox --disable-gpu --user-data-dir="$work/profile" \
        --enable-logging=stderr --virtual-time-budget=3000 "$@" "file://$work/r.html"
}
browser --dump-dom >"$work/dom.html" 2>"$work/log"
grep -i 'CONSOLE.*error\|Uncaught' "$work/log" && { echo "the page logs errors"; exit 1; }
grep -q '<canvas' "$work/dom.html" || { echo "no timeline in the page"; exit 1; }
grep -q 'ampere_sgemm_128x64_tn' "$work/dom.html" || { echo "no operators in the page"; exit 1; }
browser --screenshot="$work/r.png" --window-size=1200,1600 >/dev/null 2>&1
[ "$(wc -c <"$work/r.png")" -gt 20000 ] || { echo "the picture is empty"; exit 1; }
echo "the report opens: picture of $(wc -c <"$work/r.png") bytes"
