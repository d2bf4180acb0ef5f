#!/bin/sh
# Single faults that tests/campaign/faults found badly answered once, each by its place.
#   SCRIPT GAIT SOURCE_ROOT
set -eu
gait=$(realpath "$1")
tools=$(dirname "$gait")/tests
[ -x "$tools/inject" ] || { echo "skipped: no inject in $tools (x86-64 without sanitizers has it)"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
failed=0
wrong() { echo "FAILED: $*"; failed=1; }

"$tools/generate_trace" --steps 3 --layers 2 -o trace.json 2>/dev/null
"$gait" import -q trace.json -o run.gait
printf 'some text\n' >text.txt

# The number of the first call (name) on a path that holds a word, of a command; of the $nth of several.
nth=1
number_of() { # call word command…
    call=$1 word=$2
    shift 2
    "$tools/inject" --report calls -- "$gait" "$@" >/dev/null
    awk -F'\t' -v c="$call" -v w="$word" '$2 == c && index($5, w) { print $1 }' calls | sed -n "${nth}p"
}

strike() { # fault call word command…: out, err and the exit code in $code
    fault=$1
    shift
    n=$(number_of "$@")
    [ -n "$n" ] || { wrong "no $1 on $2 in: gait $3"; n=999999; }
    shift 2
    code=0
    "$tools/inject" --report hit --at "$n" --fault "$fault" -- "$gait" "$@" >out 2>err || code=$?
}

no_memory() { # what only a half-done command leaves, command…: memory ends at forty places of it
    left=$1
    shift
    LD_PRELOAD=$tools/libfaults.so GAIT_FAULTS_PROGRAM=$gait GAIT_FAULTS_REPORT=$work/list "$gait" "$@" >/dev/null 2>err ||
        { wrong "gait $* fails undisturbed: $(cat err)"; return; }
    all=$(($(stat -c %s list) / 128))
    step=$((all / 40 + 1))
    for n in $(seq 1 $step "$all"); do
        code=0
        rm -rf out.json out
        LD_PRELOAD=$tools/libfaults.so GAIT_FAULTS_PROGRAM=$gait GAIT_FAULTS_REPORT=$work/list GAIT_FAULTS_AT=$n \
            GAIT_FAULTS_ONWARD=1 "$gait" "$@" >/dev/null 2>err || code=$?
        [ $code = 0 ] || { [ $code = 4 ] && grep -Eq '^gait: .*(out of memory|Cannot allocate memory)' err; } ||
            wrong "allocation $n of gait $*: exit code $code, $(cat err)"
        for f in $left; do
            [ ! -e "$f" ] || { wrong "allocation $n of gait $* left $f"; rm -rf "$f"; }
        done
    done
}

# What a recorded job left cannot be read: it is kept, and named.
strike EIO read process-1.json record -o rec.gait -- sh -c 'echo "{}" >"$GAIT_RECORD_DIR/process-1.json"'
folder=$(sed -n 's/.*is kept in \(.*\); once.*/\1/p' err)
[ $code = 4 ] && [ -d "$folder" ] || wrong "EIO on a recording: exit code $code, $(cat err)"
rm -rf "$folder"

strike EIO write stdout config
[ $code = 4 ] && grep -q 'stdout: Input/output error' err || wrong "EIO on stdout: exit code $code, $(cat err)"
strike EINTR write stdout config
"$gait" config | cmp - out || wrong "EINTR on stdout lost a part: exit code $code, $(cat err)"

# SQLite says "malformed", "not a database" or "locked" for what is the disk's fault.
strike EIO pread64 run.gait export -q --chrome run.gait -o out.json
[ $code = 4 ] && grep -q 'run.gait: Input/output error' err || wrong "EIO in a run: exit code $code, $(cat err)"
cp run.gait out.gait
strike EIO read out.gait import -q trace.json -o out.gait
[ $code = 4 ] && grep -q 'out.gait: Input/output error' err || wrong "EIO at the run in the way: exit code $code, $(cat err)"
# Half of a trace in place of a whole run is a loss.
nth=3
strike EIO read trace.json import -q trace.json -o out.gait --threads 1
nth=1
[ $code = 4 ] && grep -q 'trace.json: Input/output error' err || wrong "EIO in a trace: exit code $code, $(cat err)"
cmp run.gait out.gait || wrong "EIO in a trace cost the run that was there"
strike short read run.gait export -q --chrome run.gait -o out.json
[ $code = 0 ] || wrong "a short read of a run: exit code $code, $(cat err)"
strike EIO pwrite64 out.gait import -q trace.json -o out.gait
[ $code = 4 ] && grep -q 'out.gait: Input/output error' err || wrong "EIO while saving: exit code $code, $(cat err)"
cmp run.gait out.gait || wrong "EIO while saving cost the run that was there"
[ -z "$(number_of fcntl gait import -q trace.json -o out.gait)" ] || wrong "a run is saved with locks"
[ -z "$(number_of fcntl gait export -q --chrome run.gait -o out.json)" ] || wrong "a run is read with locks"

no_memory 'out.json.tmp*' export -q --chrome trace.json -o out.json
no_memory 'out.json.tmp*' export -q --chrome run.gait -o out.json
if "$gait" version | grep -q '^trainer: yes'; then
    printf 'layers: 1\nheads: 2\nwidth: 16\ncontext: 16\nbatch_size: 2\nsteps: 2\nwarmup_steps: 0\nbuiltin_chars: 4000\neval_batches: 1\n' >c.yaml
    "$gait" train c.yaml -q --threads 1 --checkpoint-dir ck >/dev/null
    # A folder that cannot be read is not an empty one that may be replaced.
    for call in openat getdents64; do
        rm -rf mine && mkdir mine
        strike_at=$(number_of $call /mine export -q ck --hf mine)
        rm -rf mine && mkdir mine && echo precious >mine/notes
        "$tools/inject" --report hit --at "$strike_at" --fault EIO -- "$gait" export -q ck --hf mine >out 2>err &&
            wrong "EIO at $call of a folder: it was taken for an empty one"
        grep -q precious mine/notes 2>/dev/null || wrong "EIO at $call of a folder cost what was in it"
        grep -q 'mine: Input/output error' err || wrong "EIO at $call of a folder: $(cat err)"
    done
    no_memory 'hf.tmp*' export -q ck --hf hf --force
    no_memory 'out.tmp*' data prepare -q text.txt -t bytes -o out --threads 1
fi
exit $failed
