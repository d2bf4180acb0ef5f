#!/bin/sh
# `gait top` in a real terminal (tmux): it shows a training that runs, follows the terminal's size, and leaves the
# terminal as it was, by q, by Ctrl-C, by signals and by a crash, also where it is ended while it is suspended. A training that was killed is said to have died.
#   SCRIPT GAIT SOURCE_ROOT
set -eu
gait=$(realpath "$1") root=$(realpath "$2")
command -v tmux >/dev/null || { echo "skipped: no tmux (scripts/install-deps)"; exit 77; }
work=$(mktemp -d)
socket=gait-top-$$
training=
cleanup() {
    tmux -L "$socket" kill-server 2>/dev/null || :
    [ -z "$training" ] || kill -9 "$training" 2>/dev/null || :
    rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 1' HUP INT TERM
mkdir -m 700 "$work/runtime"
export XDG_RUNTIME_DIR=$work/runtime LC_ALL=C.UTF-8
cd "$work"
failed=0
wrong() { echo "FAILED: $*"; failed=1; }

pane() { tmux -L "$socket" capture-pane -p -t 0; }
screen() { tmux -L "$socket" display-message -p -t 0 '#{alternate_on} #{cursor_flag}'; } # "0 1": clean
keys() { tmux -L "$socket" send-keys -t 0 "$@"; }
until_pane() { # seconds pattern
    n=$(($1 * 10))
    while [ $n -gt 0 ]; do
        pane | grep -Eq -- "$2" && return 0
        sleep 0.1
        n=$((n - 1))
    done
    wrong "no \"$2\" on the screen within $1 s:"
    pane
    exit 1
}
widest() { pane | wc -L; } # columns, not bytes

"$gait" train -q "$root/examples/tiny.yaml" --steps 100000 --threads 1 >train.out 2>&1 &
training=$!
n=300
while ! "$gait" top --json 2>/dev/null | grep -q '"doing":"training"'; do
    sleep 0.1
    n=$((n - 1))
    [ $n -gt 0 ] || { echo "FAILED: no training is seen: $(cat train.out)"; exit 1; }
done

tmux -L "$socket" -f /dev/null new-session -d -x 80 -y 24 'PS1="prompt> " sh'
until_pane 20 '^prompt>'
keys 'stty -a >before' Enter
begin_top() {
    keys "clear; $gait top; stty -a >after; echo code \$?" Enter
    until_pane 30 '^tokens/s +.* now'
}
end_is_clean() { # how
    until_pane 20 '^prompt> *$'
    sleep 0.2
    [ "$(screen)" = "0 1" ] || wrong "after $1 the other screen or no cursor: $(screen)"
    cmp -s before after || { wrong "after $1 the terminal's settings differ"; diff before after || :; }
    pane | grep -q 'a step ' && wrong "after $1 the screen of top is still there"
    rm -f after
}

begin_top
until_pane 20 '^ +[0-9.]+ +[^ -~]+$' # the curve, in braille
for part in "process $training  training" '^gpt2  4 layers' '^step +[0-9]+/100000   ETA ' '^steps/s ' '^loss +[0-9]' \
    '^a step .*ffff*bbbb*' 'f forward [0-9]+ %' '^data wait ' '^memory +peak .* plan ' '^q quits'; do
    pane | grep -Eq -- "$part" || { wrong "80 by 24 lacks \"$part\":"; pane; }
done
[ "$(screen)" = "1 0" ] || wrong "top does not use the other screen without a cursor: $(screen)"
[ "$(widest)" -le 80 ] || wrong "a line of $(widest) columns on 80"
pane >pane-80x24

tmux -L "$socket" resize-window -t 0 -x 200 -y 60
until_pane 10 'f forward [0-9.]+ ms [0-9]+ %'
until_pane 10 '^tokens/s  a point|^tokens/s *$'
[ "$(widest)" -le 200 ] || wrong "a line of $(widest) columns on 200"
[ "$(pane | grep -c .)" -gt 40 ] || wrong "200 by 60 shows only $(pane | grep -c .) lines"
tmux -L "$socket" resize-window -t 0 -x 40 -y 10
until_pane 10 '(^| )f [0-9]+ % '
[ "$(widest)" -le 40 ] || wrong "a line of $(widest) columns on 40"
tmux -L "$socket" resize-window -t 0 -x 80 -y 24
until_pane 10 'f forward [0-9]+ %'

keys q
end_is_clean q
begin_top
keys C-c
end_is_clean Ctrl-C

# The process of top in the terminal: the one of this program that has our runtime folder and is no training.
top_pid() { ps -o pid=,args= --ppid "$(tmux -L "$socket" display-message -p -t 0 '#{pane_pid}')" | awk '/ top$/ { print $1 }'; }
begin_top
kill -TERM "$(top_pid)"
end_is_clean SIGTERM
begin_top
kill -SEGV "$(top_pid)"
end_is_clean SIGSEGV
for signal in USR1 ALRM PIPE; do
    begin_top
    kill -$signal "$(top_pid)"
    end_is_clean SIG$signal
done
begin_top
keys C-z
end_is_clean Ctrl-Z
pid=$(top_pid)
keys 'kill %1; kill -CONT %1; sleep 0.2' Enter # as bash does with one word
n=50
while [ -e "/proc/$pid" ] && [ $n -gt 0 ]; do
    sleep 0.1
    n=$((n - 1))
done
[ $n -gt 0 ] || wrong "kill does not end a suspended top"
keys 'stty -a >after; clear' Enter
end_is_clean 'kill of a suspended one'
begin_top
keys C-z
end_is_clean Ctrl-Z
keys fg Enter
until_pane 10 '^tokens/s '

# Killed while it is watched.
kill -9 "$training"
wait "$training" 2>/dev/null || :
until_pane 10 '^It died without a word'
keys q
until_pane 10 '^prompt> *$'
"$gait" top --once "$training" | grep -q '^It died without a word' || wrong "died is not said without a terminal"
"$gait" top --json | grep -q '"state": "died"' || wrong "died is not said in JSON"
training=

# One that ends says so itself, and how it ended.
"$gait" train -q "$root/examples/tiny.yaml" --steps 20 --warmup-steps 2 --checkpoint-dir out >/dev/null 2>&1
"$gait" top out | grep -q '^It ended .* all steps done' || wrong "the end is not said: $("$gait" top out)"
"$gait" top out | grep -q 'step 20' || wrong "not the training of that folder"
[ $failed = 0 ] || exit 1
cat pane-80x24
