#!/bin/bash
# What a user gets who types part of a command line and presses Tab, in bash, zsh and fish, from an installed gait whose
# completions the shells find by themselves.
#   completions_work_in_real_shells.sh GAIT ROOT
set -u
gait=$(realpath "$1") build=$(dirname "$(realpath "$1")")
command -v tmux >/dev/null || { echo "skipped: no tmux here; scripts/install-deps installs it"; exit 77; }
shells=
for shell in bash zsh fish; do command -v $shell >/dev/null && shells="$shells $shell"; done
[ "$shells" = " bash zsh fish" ] || { echo "skipped: only$shells here; scripts/install-deps installs them all"; exit 77; }
[ -f /usr/share/bash-completion/bash_completion ] || { echo "skipped: no bash-completion here"; exit 77; }

dir=$(mktemp -d)
tm() { tmux -S "$dir/tmux" -f /dev/null "$@"; }
trap 'tm kill-server 2>/dev/null; rm -rf "$dir"' EXIT
failed=0 asked=0
cmake --install "$build" --prefix "$dir/usr" >"$dir/log" 2>&1 || { cat "$dir/log"; exit 1; }

mkdir -p "$dir/home/.config/fish" "$dir/home/.local/share/fish/generated_completions" "$dir/work/my-folder" "$dir/work/my-books" "$dir/bin"
cd "$dir/work" || exit 1
touch my-config.yaml my-text.txt 'a run.gait' job.py trace-1.json.gz trace-2.txt
ln -s "$gait" "$dir/bin/gait"
printf '%s\n' 'PS1="ready> "' '. /usr/share/bash-completion/bash_completion' >"$dir/home/.bashrc"
printf '%s\n' 'PS1="ready> "' "fpath=($dir/usr/share/zsh/site-functions \$fpath)" 'autoload -U compinit' 'compinit -u' \
    >"$dir/home/.zshrc"
printf '%s\n' 'function fish_prompt; echo "ready> "; end' 'set -g fish_greeting' 'set -g fish_autosuggestion_enabled 0' \
    >"$dir/home/.config/fish/config.fish"

# The line that the shell shows behind its prompt.
line() { tm capture-pane -p -t "$1" | sed -n 's/^ready> //p' | tail -n 1 | sed 's/ *$//'; }
await() { # shell, line that is to come
    local i
    for i in $(seq 200); do
        [ "$(line "$1")" = "$2" ] && return
        sleep 0.05
    done
    return 1
}
start() {
    tm new-session -d -s "$1" -x 150 -y 50 env -i HOME="$dir/home" PATH="$dir/bin:$PATH" TERM=screen LANG=C.UTF-8 \
        XDG_DATA_DIRS="$dir/usr/share:/usr/share" "$@"
    local i
    for i in $(seq 400); do
        tm capture-pane -p -t "$1" | grep -q '^ready>' && return
        sleep 0.05
    done
    echo "WRONG: $1 does not start: $(tm capture-pane -p -t "$1")"
    exit 1
}
gives() { # typed, line that it becomes, typed behind Tab
    [ $failed -lt 5 ] || return
    tm send-keys -t "$shell" C-u
    await "$shell" "" || true
    tm send-keys -t "$shell" -l "$1"
    await "$shell" "$1" || { echo "WRONG: $shell shows \"$(line "$shell")\" where \"$1\" was typed"; failed=$((failed + 1)); return; }
    tm send-keys -t "$shell" Tab
    [ $# -lt 3 ] || tm send-keys -t "$shell" -l "$3"
    asked=$((asked + 1))
    await "$shell" "$2" && return
    echo "WRONG: $shell makes \"$(line "$shell")\" of \"$1\", not \"$2\""
    failed=$((failed + 1))
}
# What is typed behind Tab appears when the shell has answered: the line as it was is no answer yet.
gives_nothing() { gives "$1" "$1@" @; }

start bash -i && start zsh -i && start fish -i
for shell in bash zsh fish; do
    gives 'gait ana' 'gait analyze'
    gives 'gait data pre' 'gait data prepare'
    gives 'gait train --lay' 'gait train --layers'
    gives 'gait train my-config.yaml --precision b' 'gait train my-config.yaml --precision bf16'
    gives 'gait lint --output-format sar' 'gait lint --output-format sarif'
    gives 'gait lint --output-format=sar' 'gait lint --output-format=sarif'
    gives 'gait train my-c' 'gait train my-config.yaml'
    gives 'gait analyze tr' 'gait analyze trace-1.json.gz' # trace-2.txt is none
    gives 'gait data prepare my-t' 'gait data prepare my-text.txt'
    gives 'gait bundle a' 'gait bundle a\ run.gait'
    gives 'gait export --hf my-f' 'gait export --hf my-folder/'
    gives 'gait record -- basena' 'gait record -- basename'
    gives 'gait help whati' 'gait help whatif'
    gives 'gait explain blocking-c' 'gait explain blocking-copy'
    gives 'gait data show --chec' 'gait data show --check'
    gives_nothing 'gait data prepare --chec' # an option of show alone
done
[ $failed = 0 ] && echo "$asked lines are completed as they should be, in bash, zsh and fish"
exit $((failed > 0))
