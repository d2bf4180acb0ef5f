#!/bin/bash
# What a build promises about its binaries (cmake/hardening.cmake), seen on the binaries themselves.
#   the_binary_is_hardened.sh GAIT ROOT
set -u
gait=$1 build=$(dirname "$1")
failed=0
wrong() { echo "WRONG: $*"; failed=1; }
has() { grep -q "$2" <<<"$1"; }

# --- libraries: none of the programs looks anywhere but in the system's folders
programs=$(find "$build" -maxdepth 2 -type f -perm -u+x ! -name '*.sh' ! -name '*.py' -exec sh -c \
    'head -c 4 "$1" | grep -q ELF && echo "$1"' - {} \;)
[ -n "$programs" ] || wrong "no program found in $build"
for program in $programs; do
    path=$(readelf -d "$program" | grep -E 'R(UN)?PATH')
    [ -z "$path" ] || wrong "$(basename "$program") has $path"
done

# A library of the name of one that gait needs, with the symbols it needs of it, planted in the folder that it
# is started in. Versioned libraries (libc, libm, libgomp) would be refused for lacking versions: not shown.
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
plant() { # name of the library; into $dir
    local real
    real=$(ldd "$gait" | awk -v l="$1" '$1 == l { print $3 }')
    {
        echo '#include <stdio.h>'
        echo "__attribute__((constructor)) static void ran(void) { FILE *f = fopen(\"$dir/ran\", \"w\"); if (f) fclose(f); }"
        comm -12 <(nm -D --undefined-only "$gait" | awk '{ print $NF }' | sort) \
            <(nm -D --defined-only "$real" | awk '{ print $NF }' | sort) | sed 's/.*/void &(void);void &(void) {}/'
    } >"$dir/planted.c"
    gcc -w -fno-builtin -shared -fPIC -Wl,-soname,"$1" "$dir/planted.c" -o "$dir/$1"
}
tried=0
for library in $(readelf -d "$gait" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'); do
    case $library in libisal*|libz.so*|libzstd*|libyaml*|libsqlite3*) ;; *) continue ;; esac
    plant "$library" || { wrong "cannot plant $library"; continue; }
    (cd "$dir" && "$gait" version >/dev/null 2>&1)
    [ ! -e "$dir/ran" ] || wrong "gait ran $library from the current folder"
    # It does run where it is asked for: the check can fail.
    (cd "$dir" && LD_LIBRARY_PATH=. "$gait" version >/dev/null 2>&1)
    [ -e "$dir/ran" ] || wrong "a planted $library cannot run at all: nothing was shown"
    rm -f "$dir/ran" "$dir/$library"
    tried=$((tried + 1))
done
[ $tried -ge 3 ] || wrong "only $tried libraries were planted"

# --- the program itself
has "$(readelf -hW "$gait")" 'Type:.*DYN' || wrong "not position-independent"
segments=$(readelf -lW "$gait") dynamic=$(readelf -dW "$gait") symbols=$(nm -D "$gait")
has "$segments" GNU_RELRO || wrong "no RELRO"
has "$dynamic" 'FLAGS.*NOW' || wrong "RELRO is not full: symbols are bound late"
has "$segments" 'GNU_STACK.* RW ' || wrong "the stack can be executed"
has "$symbols" __stack_chk_fail || wrong "no stack protector"
[ "$(grep -c '_chk' <<<"$symbols")" -gt 5 ] || wrong "no fortified functions"
if [ "$(uname -m)" = x86_64 ]; then
    # endbr64 opens every function that can be called through a pointer
    has "$(objdump -d --no-show-raw-insn --disassemble=main "$gait" | grep -m 1 -A1 '<main>:')" endbr64 ||
        wrong "no control-flow protection"
fi
[ $failed = 0 ] && echo "$(wc -w <<<"$programs") programs without a path of their own, gait is hardened"
exit $failed
