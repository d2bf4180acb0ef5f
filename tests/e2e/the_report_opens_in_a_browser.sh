#!/bin/sh
# The HTML report in a real browser: scripts run, nothing is logged as an error, the timeline is drawn, zooms and finds names,
# findings open and mark their spans, tables sort and filter, nothing is wider than a phone, light and dark both apply, the page
# is there within 2 s; and its content policy stops whatever is planted into the page. Skips where Chromium is absent
# (scripts/install-deps --report).
set -eu
gait=$1 root=$2
command -v chromium >/dev/null || { echo "skipped: no chromium here"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
browser() { # page, options…
    page=$1
    shift
    HOME=$work chromium --headless=new --no-sandbox --disable-gpu --user-data-dir="$work/profile" \
        --enable-logging=stderr --virtual-time-budget=3000 "$@" "file://$work/$page.html"
}
verdict() { # page: what the script that browser_page.py puts into it says
    browser "$1" --dump-dom 2>"$work/$1.log" | sed -n '/^VERDICT$/,/^END$/p' >"$work/$1.txt"
    grep -q '^END$' "$work/$1.txt" || { echo "$1: the page was not tried to its end"; cat "$work/$1.log"; exit 1; }
    if grep '^BAD' "$work/$1.txt"; then echo "$1: the page does not work"; exit 1; fi
}

"$gait" report -q "$root/examples/three_steps.trace.json" -o "$work/r.html"
browser r --dump-dom >"$work/dom.html" 2>"$work/log"
if grep -i 'CONSOLE.*error\|Uncaught\|Content Security Policy' "$work/log"; then echo "the page logs errors"; exit 1; fi
grep -q '<canvas' "$work/dom.html" || { echo "no timeline in the page"; exit 1; }
grep -q 'ampere_sgemm_128x64_tn' "$work/dom.html" || { echo "no operators in the page"; exit 1; }
browser r --screenshot="$work/r.png" --window-size=1200,1600 >/dev/null 2>&1
[ "$(wc -c <"$work/r.png")" -gt 20000 ] || { echo "the picture is empty"; exit 1; }

# Forty more kernels: a table that is long enough for a filter.
awk '/"cat": "kernel"/ && !done { for (i = 0; i < 40; i++) { line = $0
        sub(/"name": "[^"]*"/, "\"name\": \"kernel_" i "\"", line); sub(/"ts": [0-9.]*/, "\"ts\": " 1200 + i, line)
        sub(/"dur": [0-9.]*/, "\"dur\": 0.5", line); print line } done = 1 } { print }' \
    "$root/examples/three_steps.trace.json" >"$work/many.json"
"$gait" report -q "$work/many.json" -o "$work/many.html"
if grep -n "unsafe-" "$work/many.html"; then echo "the content policy allows what is unsafe"; exit 1; fi
python3 "$root/tests/e2e/browser_page.py" "$work/many.html" "$work/used.html"
verdict used
if grep '^stopped' "$work/used.txt"; then echo "the page's own policy stops parts of it"; exit 1; fi

python3 "$root/tests/e2e/browser_page.py" "$work/many.html" "$work/attacked.html" --attacks
verdict attacked
if grep '^RAN' "$work/attacked.txt"; then echo "what was planted into the page ran"; exit 1; fi
stopped=$(grep -c '^stopped' "$work/attacked.txt") || true
# Without hashes the same things run: the attacks are real ones.
sed "s/'sha256-[^']*'/'unsafe-inline'/g; s/base-uri 'none'; //; s/form-action 'none'//" \
    "$work/attacked.html" >"$work/unguarded.html"
verdict unguarded
ran=$(sort -u "$work/unguarded.txt" | grep -c '^RAN') || true
[ "$ran" -ge 12 ] || { cat "$work/unguarded.txt"; echo "only $ran attacks run without the policy"; exit 1; }

# As wide as a desk and as narrow as a phone, by day and by night: a small page, ranks, many spans, two runs.
for r in 0 1 2; do sed "s/\"rank\": 0/\"rank\": $r/; s/\"world_size\": 1/\"world_size\": 3/" \
    "$root/examples/three_steps.trace.json" >"$work/rank$r.json"; done
"$gait" report -q "$work/rank0.json" "$work/rank1.json" "$work/rank2.json" -o "$work/ranks.html"
awk 'BEGIN { print "{\"deviceProperties\": [{\"id\": 0, \"name\": \"GPU\"}], \"traceEvents\": ["
        for (s = 0; s < 700; s++) printf "{\"ph\": \"X\", \"cat\": \"user_annotation\", \"name\": \"ProfilerStep#%d\", \"pid\": 1, " \
            "\"tid\": 1, \"ts\": %d, \"dur\": 400000},\n", s, s * 400000
        for (i = 0; i < 30000; i++) { long = "void at::native::a_kernel_with_a_long_name_" i % 900 "<float, 4, Functor<c10::Half, "
            printf "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::op_%d\", \"pid\": 1, \"tid\": 1, \"ts\": %d, " \
                "\"dur\": 9},\n{\"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"cudaLaunchKernel\", \"pid\": 1, \"tid\": 1, " \
                "\"ts\": %d, \"dur\": 3, \"args\": {\"correlation\": %d}},\n", i % 900, i * 12, i * 12 + 2, i
            printf "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"%s%s>>(int, float)\", \"pid\": 0, \"tid\": 7, \"ts\": %d, " \
                "\"dur\": 8, \"args\": {\"device\": 0, \"stream\": 7, \"correlation\": %d}}%s\n", long, long, i * 12 + 6, i,
                i < 29999 ? "," : "" }
        print "]}" }' >"$work/large.json"
"$gait" report -q "$work/large.json" -o "$work/large.html"
"$gait" report -q --compare "$root/examples/three_steps.trace.json" "$work/many.json" -o "$work/compared.html"
python3 "$root/tests/e2e/browser_looks.py" "$work/many.html" "$work/ranks.html" "$work/large.html" "$work/compared.html"

echo "the report opens: picture of $(wc -c <"$work/r.png") bytes; $(grep -c '^good' "$work/used.txt") uses work;" \
    "$ran attacks run without the policy, with it none, $stopped violations stopped"
