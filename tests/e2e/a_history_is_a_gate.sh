#!/bin/sh
# A history of comparisons: a step that grew is told with its date and fails, one that was taken back does not; baselines are
# trained anew; a full disk, a foreign file and other processes cost nothing that was there.
set -eu
gait=$(realpath "$1")
cd "$(mktemp -d)"
trap 'rm -rf "$PWD"' EXIT
: >out
: >err
fail() { echo "$1"; cat out err; exit 1; }
run() { # exit code, command…
    wanted=$1 code=0
    shift
    "$gait" "$@" >out 2>err || code=$?
    [ $code = "$wanted" ] || fail "gait $*: exit code $code, not $wanted"
}
trace() { # FILE MICROSECONDS: twelve steps of about so much
    awk -v us="$2" 'BEGIN {
        printf "{\"schemaVersion\": 1, \"traceEvents\": ["
        for (i = 0; i < 12; i++) {
            d = us + i % 3
            printf "%s\n{\"ph\": \"X\", \"cat\": \"user_annotation\", \"name\": \"ProfilerStep#%d\", \"pid\": 1, \"tid\": 1, \"ts\": %d, \"dur\": %d}", i ? "," : "", i, 1000 + i * 20000, d
            printf ",\n{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::mm\", \"pid\": 1, \"tid\": 1, \"ts\": %d, \"dur\": %d}", 1001 + i * 20000, d / 2
        }
        print "\n]}"
    }' >"$1"
}
measure() { # MICROSECONDS…: one comparison each
    for us; do
        trace after.json "$us"
        "$gait" verify before.json after.json --history h.db >out 2>err || [ $? = 1 ] || fail "no comparison"
    done
}

trace before.json 10000
measure 10010 9950 10060 9990 10030 9940 10080 10000 9970 10050
run 0 verify --history h.db --trend
grep -q 'no change told (p = ' out || fail "a quiet series is told to change"
measure 10420 10380 10450 10390 10410 10370 10440 10400 10430
run 1 verify --history h.db --trend
grep -Eq '  from 20[0-9-]+ [0-9:]+ on \+4\.[0-9] % \(p = 0\.000[0-9]+\): slower' out || fail "+4 % are not told"
grep -q '1 of 1 series became slower' err || fail "no reason of the exit code"
run 1 verify --history h.db --trend --json
grep -q '"outcome": "slower"' out || fail "JSON does not tell it"
measure 10000 9960 10040 10010 9990 10020 9980 10005 9955
run 0 verify --history h.db --trend
grep -q ': faster' out || fail "that it was taken back is not told"

# what cannot be written leaves what is there
before=$(sha256sum h.db)
(ulimit -f 8; "$gait" verify before.json after.json --history h.db >out 2>err) && fail "written beyond a limit"
grep -q 'h.db' err || fail "the file is not named"
run 0 verify --history h.db --trend
[ "$before" = "$(sha256sum h.db)" ] || fail "a write that failed changed the history"
run 4 verify before.json after.json --history nothere/h.db
"$gait" import -q before.json -o run.gait
run 3 verify before.json after.json --history run.gait
grep -q 'is a run of gait, not a history' err || fail "a run is taken for a history"
head -c 6000 h.db >cut.db
run 3 verify --history cut.db --trend
grep -q 'move it away' err || fail "a cut file: no remedy"
run 2 import before.json -o h.db
[ "$before" = "$(sha256sum h.db)" ] || fail "a run was written over a history"

# several processes, a new file: none of their comparisons is lost
for i in 1 2 3 4 5 6; do "$gait" verify before.json before.json --history new.db >/dev/null 2>&1 & done
wait
run 0 verify --history new.db --trend
[ "$(grep -c ' PASS$' out)" = 6 ] || fail "comparisons were lost"

"$gait" version | grep -q '^trainer: yes' || exit 0
printf '%s\n' 'layers: 1' 'heads: 2' 'width: 32' 'context: 16' 'batch_size: 8' 'steps: 50' 'warmup_steps: 0' \
    'builtin_chars: 20000' >base.yaml
cp base.yaml slow.yaml
echo 'engine: reference' >>slow.yaml
run 0 verify base.yaml --save-baseline main --history b.db --budget 1
mv base.yaml moved.yaml # the history has it whole
run 2 verify moved.yaml --save-baseline main --history b.db --budget 1
grep -q 'add --replace' err || fail "no way to replace"
code=0
"$gait" verify slow.yaml --baseline main --history b.db --budget 1 >out 2>err || code=$?
[ $code = 1 ] && grep -Eq '^same logits .* PASS' out || fail "not compared with the baseline"
grep -q '^Baseline main when it was saved, 20.* Above, both were trained now' out || fail "no history beside"
run 3 verify slow.yaml --baseline mian --history b.db
grep -q 'b.db has no baseline mian; it has main' err || fail "the names are not listed"
run 0 verify slow.yaml --save-baseline main --replace --history b.db --budget 1
run 0 verify --history b.db --trend
grep -q '^slow.yaml against baseline main on ' out || fail "no series"
