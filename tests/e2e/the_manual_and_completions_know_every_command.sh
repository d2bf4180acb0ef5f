#!/bin/bash
# The pages of the manual are well-formed and have what --help has; the completions offer every option of every command,
# and words that the commands take.
#   the_manual_and_completions_know_every_command.sh GAIT ROOT
set -u
gait=$(realpath "$1") root=$(realpath "$2")
for tool in man groff mandoc; do
    command -v $tool >/dev/null || { echo "skipped: no $tool here; scripts/install-deps installs it"; exit 77; }
done
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
export LC_ALL=C.UTF-8
failed=0
wrong() { echo "WRONG: $*"; failed=1; }
commands=$("$gait" help | sed -n 's/^  \([a-z]*\) .*/\1/p')
[ "$(wc -w <<<"$commands")" -ge 20 ] || wrong "only these commands: $commands"
ask() { "$gait" complete -- "$@" || wrong "no completion of: $*"; }
words() { cut -f 1 | sort; }

# --- the manual
SOURCE_DATE_EPOCH=86400 "$gait" docs man pages || wrong "the pages cannot be written"
[ "$(ls pages | sort)" = "$(printf 'gait%s.1\n' '' $(printf -- '-%s\n' $commands) | sort)" ] ||
    wrong "the pages are $(ls pages)"
grep -q '^.TH .* "1970-01-02" ' pages/gait.1 || wrong "gait.1 has not the date of SOURCE_DATE_EPOCH"
for page in pages/*; do
    said=$(mandoc -T lint -W warning "$page" 2>&1
        groff -ww -b -z -man -Tutf8 "$page" 2>&1
        man --warnings -E UTF-8 -l -Tutf8 -Z "$page" 2>&1 >/dev/null)
    [ -z "$said" ] || wrong "$page: $said"
done
# All words of --help are on the page in this order, but for its own headings.
flat() { tr -s ' \n' '\n' | sed '/^$/d'; }
for command in $commands; do
    MANWIDTH=1000 man -E UTF-8 -l "pages/gait-$command.1" | col -bx >page
    "$gait" help "$command" | sed -e '1s/^gait [a-z]*: //' -e 's/^usage: //' -e '/^options:$/d' -e '/^settings, with/d' \
        -e 's/^example: //' | flat >wanted
    flat <page | awk 'NR == FNR { want[++n] = $0; next } at < n && $0 == want[at + 1] { at++ }
        END { if (at < n) print "lacks, behind \"" want[at] "\", what --help has there: \"" want[at + 1] "\"" }' wanted - >lack
    [ ! -s lack ] || wrong "gait-$command.1 $(cat lack)"
done
for name in $(grep -rhoE 'getenv\("(GAIT_[A-Z]+|NO_COLOR|TMPDIR|HOME|XDG_[A-Z_]+)"\)' "$root/src" | cut -d '"' -f 2 | sort -u); do
    grep -q "^.B $name\$" pages/gait.1 || wrong "gait.1 does not have $name"
done
for status in $(sed -n 's/^    STATUS_[A-Z]* = \([0-9]\),.*/\1/p' "$root/src/base/status.h"); do
    grep -q "^$status\$" pages/gait.1 || wrong "gait.1 does not have exit code $status"
done

# --- completions: the options are those of --help, each wants a value that is known to the completions
[ "$(ask '' | words)" = "$(sort <<<"$commands")" ] || wrong "commands offered: $(ask '' | words)"
for command in $commands; do
    offered=$(ask "$command" -- | words)
    [ "$command" = record ] || [ "$offered" = "$("$gait" help "$command" | grep -oE '^  (-., |    |)--[a-z0-9-]+' | sed 's/.*--/--/' | sort)" ] ||
        wrong "$command: options offered: $offered"
    ask "$command" '' >/dev/null
    [ "$command" = train ] || offered=$("$gait" help "$command" | grep -oE '^  (-., |    )--[a-z0-9-]+' | sed 's/.*--/--/') # settings once
    for option in $offered; do ask "$command" "$option" '' >/dev/null; done
done

# --- words that are offered are taken
echo 'x = 1' >a.py
n=0
for word in $(ask lint --output-format '' | words); do
    "$gait" lint --output-format "$word" a.py >said 2>&1 || wrong "lint --output-format $word: $(head -n 1 said)"
    n=$((n + 1))
done
if "$gait" version | grep -q '^lint: yes'; then
    "$gait" lint --output-format nothing a.py 2>&1 | sed 's/.* is //; s/, not .*//; s/ or /, /; s/, /\n/g' | sort >known
    [ "$(ask lint --output-format '' | words)" = "$(cat known)" ] || wrong "lint knows other formats: $(cat known)"
fi
for word in $(ask config --preset '' | words); do
    [ "$word" = auto ] || "$gait" config --preset "$word" >said 2>&1 || wrong "config --preset $word: $(head -n 1 said)"
    n=$((n + 1))
done
[ "$(ask config --preset '' | words | tr '\n' ' ')" = "$("$gait" config --preset nothing 2>&1 | sed 's/.*known: //; s/, /\n/g' | sort | tr '\n' ' ')" ] ||
    wrong "config knows other presets"
for setting in $(ask train a.yaml -- | words); do
    for word in $(ask train a.yaml "$setting" '' | grep -v '^:' | words); do
        "$gait" config "$setting" "$word" >said 2>&1 || ! grep 'allowed:' said || wrong "$setting cannot be $word"
        n=$((n + 1))
    done
done
[ $n -ge 30 ] || wrong "only $n words were tried"
[ $failed = 0 ] && echo "$(ls pages | wc -l) pages; $n words that are offered are taken"
exit $failed
