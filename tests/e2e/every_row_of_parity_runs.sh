#!/bin/bash
# docs/parity.md: every command runs, prints the line that the page says, and the test that guards it exists. Equal commands run once.
#   every_row_of_parity_runs.sh GAIT ROOT [ROW…]     these rows alone
set -u
gait=$(realpath "$1") root=$(realpath "$2")
shift 2
wanted=" $* "
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
mkdir bin out
ln -s "$gait" bin/gait
ln -s "$root/examples" "$root/tests" .
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 # in a container
export PATH=$work/bin:$PATH XDG_CACHE_HOME=$work/cache
tests=$(ctest --test-dir "$(dirname "$gait")" -N 2>/dev/null | sed -n 's/^ *Test *#[0-9]*: //p')

cell() { # a line of the table, a column: what stands between its backticks
    sed 's/\\|/\x01/g' <<<"$1" | cut -d'|' -f"$2" | sed 's/^ *`//; s/` *$//; s/\x01/|/g'
}
key_of() { sha256sum <<<"$1" | cut -c1-16; }
pattern() { # a line of the page as an extended regular expression
    sed -e 's/[][\\.*^$(){}+?|/]/\\&/g' -e 's/…/.*/g' <<<"$1"
}

rows=0 failed=0
fails() { # why, what the command printed: said at the end, where a long log is read first
    failed=$((failed + 1))
    { echo "$1"; tail -n 12 "$2"; } >>failures
}
while IFS= read -r line; do
    row=$(cut -d'|' -f2 <<<"$line" | tr -d ' ')
    [ "$wanted" = "  " ] || [[ $wanted == *" $row "* ]] || continue
    command=$(cell "$line" 5) prints=$(cell "$line" 6) guard=$(cell "$line" 7)
    rows=$((rows + 1))
    key=$(key_of "$command")
    first=${command%%; *}
    # what is looked at after a command needs that command once
    rest=$command
    [ "$first" = "$command" ] || [ ! -e "done-$(key_of "${first% >/dev/null}")" ] || rest=${command#*; }
    if [ ! -e "done-$key" ]; then
        start=$SECONDS
        timeout 300 bash -c "$rest" >"done-$key" 2>&1 </dev/null
        code=$?
        [ $code -le 4 ] || echo "exit code $code" >"code-$key" # 1 to 4 are answers of the program: the line tells which
        echo "row $row: $((SECONDS - start)) s: $rest"
    fi
    if [ -e "code-$key" ]; then
        fails "row $row: $(cat "code-$key"): $command" "done-$key"
    elif ! grep -qE -- "$(pattern "$prints")" "done-$key"; then
        fails "row $row: no line like \"$prints\": $command" "done-$key"
    fi
    grep -qxF -- "$guard" <<<"$tests" || fails "row $row: there is no test $guard" /dev/null
done < <(grep -E '^\| [0-9]+ \|' "$root/docs/parity.md")
echo "$rows rows, $failed failed"
[ "$failed" = 0 ] || cat failures
asked=$(wc -w <<<"$wanted")
[ "$failed" = 0 ] && [ "$rows" = $((asked ? asked : 84)) ]
