#!/bin/bash
# Somebody else can write to the folder that a user works in: a link planted at a temporary name that
# could be foreseen (it had the process's number alone) is not followed, and a pipe in place of an input
# file is refused at once instead of waited for.
#   planted_links_and_pipes_are_refused.sh GAIT ROOT
set -u
gait=$1 root=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
failed=0
wrong() { echo "WRONG: $*"; failed=1; }
cp "$root/examples/three_steps.trace.json" t.json
printf 'once upon a time there was a small model\n%.0s' {1..200} >text.txt
"$gait" import t.json -o r.gait 2>/dev/null || wrong "import fails"
trainer=$("$gait" version | grep -c '^trainer: yes')

# --- links: the shell's number stays the program's after exec
planted() { # output, command… with the output in it
    local output=$1
    shift
    echo precious >victim
    rm -rf "$output" "$output".tmp.*
    # shellcheck disable=SC2016
    bash -c 'output=$1; shift; ln -s victim "$output.tmp.$$"; exec "$@"' - "$output" "$@" >out 2>&1 ||
        wrong "$* fails: $(cat out)"
    [ "$(cat victim)" = precious ] || wrong "$*: a link planted beside $output was followed"
    [ -s "$output" ] || wrong "$*: $output was not written"
}
planted out.html "$gait" report r.gait -o out.html
planted out.md "$gait" report r.gait -o out.md
planted out.json "$gait" export --chrome r.gait -o out.json
planted out.gait "$gait" import t.json -o out.gait
if [ "$trainer" = 1 ]; then
    printf 'layers: 1\nheads: 1\nwidth: 16\ncontext: 16\nbatch_size: 2\nsteps: 2\nwarmup_steps: 0\nbuiltin_chars: 2000\n' >c.yaml
    planted prof.gait "$gait" profile c.yaml -o prof.gait
fi

# --- pipes and devices: refused within the time that a refusal takes
mkfifo pipe
refused() { # command…
    timeout 10 "$@" </dev/null >out 2>&1
    local code=$?
    [ $code = 124 ] && wrong "$* waits for a pipe or device"
    [ $code = 2 ] || [ $code = 3 ] || [ $code = 4 ] || wrong "$* ends with $code: $(cat out)"
    grep -q '^gait: \|^not checked: ' out || wrong "$* does not say why: $(cat out)"
}
for input in pipe /dev/zero; do
    refused "$gait" analyze $input
    refused "$gait" analyze "@$input"
    refused "$gait" analyze --compare t.json $input
    refused "$gait" report $input -o x.html
    refused "$gait" explain 1 $input
    refused "$gait" whatif $input batch=2x
    refused "$gait" import $input -o x.gait
    refused "$gait" export --chrome $input -o x.json
    refused "$gait" verify r.gait $input
    refused "$gait" lint $input
    if [ "$trainer" = 1 ]; then
        refused "$gait" config $input
        refused "$gait" train $input
        refused "$gait" train c.yaml --dataset $input
        refused "$gait" train c.yaml --init-from $input
        refused "$gait" sample $input once
        refused "$gait" export $input --hf x
        refused "$gait" data prepare $input -o x
        refused "$gait" data show $input
    fi
done
if [ "$trainer" = 1 ]; then # a pipe as each file of folders that are read
    "$gait" train c.yaml --checkpoint-dir ck >/dev/null 2>&1 || wrong "training fails"
    "$gait" export ck --hf hf >/dev/null 2>&1 || wrong "export --hf fails"
    "$gait" data prepare text.txt -o prepared --tokenizer bytes >/dev/null 2>&1 || wrong "data prepare fails"
    step=ck/$(cat ck/latest)
    for file in "$step"/*; do
        cp -r ck copy && rm "copy/${file#ck/}" && mkfifo "copy/${file#ck/}"
        refused "$gait" train c.yaml --checkpoint-dir copy --steps 3
        rm -rf copy
    done
    for file in hf/config.json hf/*.safetensors; do
        cp -r hf copy && rm "copy/${file#hf/}" && mkfifo "copy/${file#hf/}"
        refused "$gait" sample copy once
        rm -rf copy
    done
    for file in prepared/*; do
        cp -r prepared copy && rm "copy/${file#prepared/}" && mkfifo "copy/${file#prepared/}"
        refused "$gait" train c.yaml --dataset copy
        rm -rf copy
    done
fi

# --- descriptors that are closed are not taken for files that are opened later
if [ "$trainer" = 1 ]; then
    "$gait" train c.yaml --checkpoint-dir closed >/dev/null 2>&-
    [ ! -s closed/lock ] || wrong "messages were written into a file: $(head -c 200 closed/lock)"
fi

# --- what the user connected is read
"$gait" analyze - <t.json >/dev/null 2>&1 || wrong "standard input is not read"
"$gait" analyze <(cat t.json) >/dev/null 2>&1 || wrong "<(command) is not read"
[ $failed = 0 ] && echo "links planted at foreseen names and pipes in place of inputs: all refused"
exit $failed
