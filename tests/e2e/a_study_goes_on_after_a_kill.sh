#!/bin/bash
# A study ends with its page; killed at random moments and started again, it ends with the same structure, and nobody is left behind.
set -eu
gait=$(realpath "$1")
kills=${GAIT_STUDY_KILLS:-2}
cd "$(mktemp -d)"
trap 'rm -rf "$PWD"' EXIT
fail() { echo "$1"; cat out err 2>/dev/null | tail -n 40; exit 1; }
export XDG_CACHE_HOME=$PWD/cache

printf '%s\n' 'layers: 1' 'heads: 2' 'width: 32' 'context: 16' 'batch_size: 4' 'steps: 50' 'warmup_steps: 0' 'builtin_chars: 20000' \
    'eval_batches: 2' 'gradient_accumulation: 4' 'recompute: true' >small.yaml
# On a slow or busy machine a budget may end before the last stages: the same command goes on, as it says.
study() {
    for _ in 1 2 3; do
        "$gait" study small.yaml -o "$1" --budget 18s >out 2>err && return
        grep -q 'it ended with exit code' err && return 1
        grep -q 'the budget ended before it' err || return 1
    done
    return 1
}
structure() { (cd "$1" && find . -type f | sort && grep -o '"name": "[a-z ]*"\|"reason": ".*"' study.json); }

study whole || fail "a study does not end"
# The config is set badly on purpose; a machine that is too busy to tell leaves nothing to prove.
is_faster() { grep -q '"faster": true' "$1/tune.json"; }
proved=
if is_faster whole; then proved='verify.json tuned.gait'; else echo "the search told nothing: the proof is not looked at"; fi
for f in bench.json diagnose.json baseline.gait findings.json tune.json tuned.yaml ablation.json $proved report.html; do
    [ -s whole/$f ] || fail "there is no $f"
done
grep -q 'Five questions, answered from the data' whole/report.html || fail "the page has no answers"
structure whole >whole.txt

# where the search changed nothing there is nothing to prove, and what an earlier search was proved by goes
cp -r whole unchanged
sed -i 's/"faster": true/"faster": false/' unchanged/tune.json
study unchanged || fail "a study that changed nothing does not end"
[ ! -e unchanged/verify.json ] && [ ! -e unchanged/tuned.gait ] || fail "a change that was not made has a proof"
[ "$(grep -c '"left_out": "nothing was changed"' unchanged/study.json)" = 2 ] || fail "what was left out is not told"
grep -q 'Nothing that was run is faster' unchanged/report.html || fail "the page tells of an earlier search"
sed 's/^context: .*/context: 8/' small.yaml >other.yaml
"$gait" study other.yaml -o whole >out 2>err && fail "two studies were mixed"
grep -q 'other settings: context (16, now 8)' err || fail "it does not say which setting differs"

# names are data, and what is cut short is left out
cp -r whole hostile
[ -z "$proved" ] || sed -i 's|"remark": "|&<script>alert(1)</script>|' hostile/verify.json
sed -i 's|"command": "|&\\"><img src=x onerror=alert(2)>|; s|"file": "bench.json"|"file": "../../etc/passwd"|' hostile/study.json
head -c 700 whole/tune.json >hostile/tune.json
"$gait" report hostile -o hostile.html >out 2>err || fail "a study that was cut short has no page"
[ -z "$proved" ] || grep -q '&lt;script&gt;alert(1)' hostile.html || fail "the remark is not there"
grep -Eq '<script>alert|<img src=x|href="[./]' hostile.html && fail "a name became markup"
grep -q 'The search for faster settings has not run' hostile.html || fail "a search that was cut short counts"
echo '{' >hostile/study.json
code=0
"$gait" report hostile -o hostile.html >out 2>err || code=$?
[ $code = 3 ] && grep -q 'study.json' err || fail "a broken study.json is not told: $code"

in_folder() { # processes that work in the study's folder
    n=0
    for cwd in /proc/[0-9]*/cwd; do [ "$(readlink "$cwd" 2>/dev/null)" = "$PWD/killed" ] && n=$((n + 1)); done
    echo $n
}
seen=0
for i in $(seq "$kills"); do
    "$gait" study small.yaml -o killed --budget 18s >out 2>err &
    job=$!
    for _ in $(seq 200); do
        [ "$(in_folder)" = 0 ] || { seen=$((seen + 1)); break; }
        sleep 0.1
    done
    sleep "$((RANDOM % 7)).$((RANDOM % 10))"
    kill -9 $job 2>/dev/null || true
    wait $job 2>/dev/null || true
done
sleep 0.5
[ "$seen" -gt 0 ] || fail "no stage was ever seen: nothing is known of those left behind"
[ "$(in_folder)" = 0 ] || fail "a stage was left behind"
study killed || fail "does not go on"
structure killed >killed.txt
if [ "$(is_faster whole; echo $?)" != "$(is_faster killed; echo $?)" ]; then
    echo "one search told a gain, the other none: their structures are not compared"
    cp whole.txt killed.txt
fi
cmp -s whole.txt killed.txt || { diff whole.txt killed.txt; fail "another structure"; }

# the page is made anew, and what is no path stays a name
mkdir builtin auto
study whole || fail "done, it is not done"
grep -q 'dataset: "builtin"' whole/config.yaml || fail "a folder became the dataset"
code=0
"$gait" study small.yaml -o nodata --budget 10s --dataset nothere.txt >out 2>err || code=$?
[ $code = 1 ] && ! grep -q 'report.html' out || fail "a study without data succeeds: $code"
code=0
"$gait" study small.yaml -o whole --batch-size 8 >out 2>err || code=$?
[ $code = 2 ] && grep -q 'other settings' err || fail "two studies are mixed"
code=0
"$gait" study small.yaml -o other --budget soon >out 2>err || code=$?
[ $code = 2 ] && grep -q '10m' err || fail "a budget of words"
