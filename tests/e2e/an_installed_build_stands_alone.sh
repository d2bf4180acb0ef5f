#!/bin/bash
# An installed gait names no path of the machine that built it, and its recorder's Python files come from
# beside it: never from the sources, which somebody else may own by then.
#   an_installed_build_stands_alone.sh GAIT ROOT
set -u
gait=$1 root=$2 build=$(dirname "$1")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0
wrong() { echo "WRONG: $*"; failed=1; }
cmake --install "$build" --prefix "$dir/usr" >"$dir/log" 2>&1 || { cat "$dir/log"; exit 1; }
cd "$dir" || exit 1
unset GAIT_HOOK
! grep -q "$root" usr/bin/gait || wrong "the program names $root: $(strings usr/bin/gait | grep -m 3 "$root")"
usr/bin/gait record -- true 2>said || wrong "record fails: $(cat said)"
grep -q 'nothing was recorded' said || wrong "record says: $(cat said)"
mv usr/share/gait/hook moved
usr/bin/gait record -- true 2>said && wrong "record ran without its own Python files"
grep -q '^gait: .*share/gait/hook' said || wrong "record does not say what is missing: $(cat said)"
GAIT_HOOK=$dir/moved usr/bin/gait record -- true 2>said || wrong "GAIT_HOOK is not used: $(cat said)"
# Somebody else can create ../share where the program lies in a folder of all, like /tmp.
if [ "$(id -u)" = 0 ]; then
    cp -r moved usr/share/gait/hook && chown -R 65534 usr/share/gait/hook
    usr/bin/gait record -- true 2>said && wrong "record took Python files of another user"
fi
"$gait" record -- true 2>said || wrong "the build folder's own gait finds no hook: $(cat said)"
[ $failed = 0 ] && echo "an installed gait uses what was installed with it"
exit $failed
