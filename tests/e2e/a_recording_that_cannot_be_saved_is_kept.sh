#!/bin/bash
# `gait record` of a job whose run cannot be saved: the folder with what was recorded is kept and named with
# the command that finishes it, the cause is said, and the exit code is not 0.
#   a_recording_that_cannot_be_saved_is_kept.sh GAIT ROOT
set -u
gait=$1 root=$2
python=$root/.venv/bin/python
[ -x "$python" ] && "$python" -c 'import torch' 2>/dev/null || { echo "skipped: no PyTorch here"; exit 77; }
dir=$(mktemp -d)
trap 'mountpoint -q "$dir/full" && umount "$dir/full"; rm -rf "$dir"' EXIT
cd "$dir" || exit 1
export TMPDIR=$dir
failed=0
wrong() { echo "WRONG: $*"; failed=1; }
cat >job.py <<'PY'
import shutil, sys
import torch
model = torch.nn.Linear(16, 16)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(30):
    optimizer.zero_grad()
    model(torch.randn(4, 16)).pow(2).mean().backward()
    optimizer.step()
if len(sys.argv) > 1 and sys.argv[1] == "remove":
    shutil.rmtree("gone")
sys.exit(7 if sys.argv[-1] == "fails" else 0)
PY

record() { # output, words of the job…
    local output=$1
    shift
    "$gait" record --replacements 0 --rounds 2 --untraced 2 --traced 2 --warmup 3 -o "$output" -- \
        "$python" job.py "$@" 2>said
}
finish() { # cause that must be said, output that can be written
    local folder
    grep -q "^gait: cannot write .*$1" said || wrong "the cause ($1) is not said: $(cat said)"
    folder=$(sed -n 's/.*is kept in \(.*\); once that is fixed.*/\1/p' said)
    [ -d "$folder" ] || { wrong "the recording is not kept: $(cat said)"; return; }
    grep -q "gait import '$folder' -o " said || wrong "the command that finishes is not named: $(cat said)"
    "$gait" import "$folder" --keep-spans 9 -o "$2" 2>said && wrong "--keep-spans is ignored"
    grep -q "is a recording, and --keep-spans is for traces" said || wrong "it is not said why: $(cat said)"
    "$gait" import "$folder" -o "$2" 2>said || wrong "it does not finish: $(cat said)"
    "$gait" analyze "$2" >answer 2>&1 || wrong "the run is not answered: $(cat answer)"
    grep -q 'A step takes' answer || wrong "the run has no step: $(cat answer)"
    rm -rf "$folder"
}

mkdir gone
record gone/r.gait remove; code=$?
[ $code = 4 ] || wrong "exit code $code, not 4, though nothing was saved"
finish 'folder does not exist' a.gait
mkdir gone
record gone/r.gait remove fails; code=$?
[ $code = 7 ] || wrong "exit code $code, not the job's own 7"
finish 'folder does not exist' b.gait
mkdir full
if mount -t tmpfs -o size=64k tmpfs full 2>/dev/null; then
    record full/r.gait; code=$?
    [ $code = 4 ] || wrong "exit code $code on a full disk, not 4"
    [ -z "$(ls full)" ] || wrong "a full disk keeps $(ls full)"
    finish 'No space left' c.gait
    # The recorder's own folder is full: the trace makes room for the word of it.
    TMPDIR=$dir/full record d.gait; code=$?
    [ $code = 0 ] || wrong "exit code $code, not the job's own 0"
    grep -q 'No space left on device' said || wrong "the cause is not said: $(cat said)"
else
    echo "a full disk was not tried: tmpfs cannot be mounted here"
fi
record good.gait || wrong "a good recording fails: $(cat said)"
compgen -G "$dir/gait-record-*" >/dev/null && wrong "folders were left: $(ls -d "$dir"/gait-record-*)"
[ $failed = 0 ] && echo "what could not be saved was kept, named and finished"
exit $failed
