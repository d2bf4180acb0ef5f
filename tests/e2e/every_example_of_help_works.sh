#!/bin/bash
# Every command's help has an example, and it works as it stands: the files that it names are made first, and are small.
set -u
gait=$(realpath "$1") root=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
mkdir bin examples books
ln -s "$gait" bin/gait
export PATH=$work/bin:$PATH XDG_CACHE_HOME=$work/cache TMPDIR=$work
fail() { echo "$1"; tail -n 12 said errors; exit 1; }
python=$root/.venv/bin/python
if [ -x "$python" ] && "$python" -c 'import torch' 2>/dev/null; then
    printf '#!/bin/sh\nexec "%s" "$@"\n' "$python" >bin/python
    chmod +x bin/python
fi

printf '%s\n' 'layers: 1' 'heads: 2' 'width: 32' 'context: 16' 'batch_size: 4' 'steps: 60' 'warmup_steps: 0' 'builtin_chars: 20000' 'eval_batches: 2' \
    >examples/tiny.yaml
cp examples/tiny.yaml my.yaml
cp "$root/tests/data/traces/tracelens/bert_h100.json.gz" trace.json.gz
printf 'ROMEO: It was the best of times, it was the worst of times.\n%.0s' {1..200} >books/one.txt
cp "$root/tests/record/jobs/plain.py" "$root/tests/record/jobs/tiny_gpt.py" .
mv plain.py train.py
{
    gait profile my.yaml -o run.gait && cp run.gait before.gait && cp run.gait after.gait
    gait train my.yaml --steps 3 --checkpoint-dir out && gait train my.yaml --steps 3 --dataset books/one.txt --checkpoint-dir models/shakespeare_char
} >said 2>errors || fail "the files for the examples cannot be made"

# What is long because its default is: the same command with less time.
shorter() {
    case $1 in
        *' study '*) echo "${1/10m/10s}" ;;
        *' tune '*) echo "$1 --budget 4" ;;
        *' ablate '*) echo "$1 --budget 2" ;;
        *) echo "$1" ;;
    esac
}
is_out_of_reach() { # says why
    case $1 in
        *'-- python '*) [ -e bin/python ] || echo "no PyTorch here" ;;
        *'--tokenizer gpt2'*) [ -n "${GAIT_DATA:-}" ] || echo "GPT-2's vocabulary is not here" ;;
    esac
}
[ -d "$root/../shared/data/gpt2-vocab" ] && export GAIT_DATA=$root/../shared/data

ran=0
for command in $(gait help | sed -n 's/^  \([a-z]*\) .*/\1/p' | sort -u); do
    gait help "$command" >said 2>errors || fail "no help of $command"
    example=$(sed -n 's/^example: //p' said)
    [ -n "$example" ] || fail "the help of $command has no example"
    why=$(is_out_of_reach "$example")
    [ -z "$why" ] || { echo "left out: $example: $why"; continue; }
    code=0
    timeout 100 bash -c "$(shorter "$example")" >said 2>errors </dev/null || code=$?
    case $command in verify | lint | diagnose) [ $code = 1 ] && [ -s said ] && code=0 ;; esac # gates: that is an answer
    # A study's short budget may end before its last stages; then it says so.
    [ $command = study ] && grep -q 'the budget ended before it' errors && [ -s study/report.html ] && code=0
    [ $code = 0 ] || fail "$example: exit code $code"
    ran=$((ran + 1))
done
[ $ran -ge 20 ] || fail "only $ran examples ran"
echo "$ran examples ran"
