#!/bin/sh
# Every page that the program, the recorder or a source's comment names is in the program, as it is in docs/.
#   pages_that_messages_name_are_there.sh GAIT ROOT
set -eu
gait=$1 root=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$root"
grep -rhoE 'docs/[a-zA-Z0-9/_-]+\.md' src hook --include='*.[ch]' --include='*.py' --include='*.scm' | sort -u >"$work/named"
named=$(wc -l <"$work/named")
[ "$named" -ge 20 ] || { echo "only $named pages are named: are they looked for where they stand?"; exit 1; }
"$gait" help pages >"$work/pages"
failed=0
for page in $(cat "$work/named" "$work/pages" | sort -u); do
    case $page in
        docs/adr/*) [ -f "$page" ] && continue ;; # decisions are for who reads the sources
    esac
    if ! "$gait" help "$page" >"$work/page" 2>"$work/error"; then
        echo "$page: $(cat "$work/error")"
        failed=1
    elif ! cmp -s "$work/page" "$page"; then
        echo "$page: what the program prints is not the file"
        failed=1
    fi
done
"$gait" help docs/no-such-page.md >/dev/null 2>&1 && { echo "a page that is not there is printed"; failed=1; }
echo "$named pages are named, $(wc -l <"$work/pages") are in the program"
[ "$failed" = 0 ]
