#!/bin/sh
# The memory limit of a control group counts before the first step, in files of both versions: the program reads a made-up
# tree at the real place, mounted in a namespace of its own, so that no group of this machine is touched.
set -u
gait=$(realpath "$1")
source=$2
unshare -rm true 2>/dev/null || { echo "skipped: no mount namespaces here"; exit 77; }
out=$(mktemp)
trap 'rm -f "$out"' EXIT

train() { # file, bytes: as the limit of the group at the root
    unshare -rm sh -c '
        mount -t tmpfs none /sys/fs/cgroup || exit 77
        mkdir -p "/sys/fs/cgroup/$(dirname "$1")" && echo "$2" >"/sys/fs/cgroup/$1" || exit 77
        exec "$3" train "$4/examples/tiny.yaml" --steps 2 --warmup-steps 1 --eval-batches 1' \
        sh "$1" "$2" "$gait" "$source" >"$out" 2>&1
}

tried=0
for file in memory.max memory.high memory/memory.limit_in_bytes; do
    case $file in # a line of such a group is needed
        memory/*) grep -q ':memory:' /proc/self/cgroup || continue ;;
        *) grep -q '^0::' /proc/self/cgroup || continue ;;
    esac
    train $file 64000000
    code=$?
    [ $code = 77 ] && { echo "skipped: nothing can be mounted here"; exit 77; }
    if [ $code != 4 ] || ! grep -q "control group has 61.0 MiB ($(basename $file))" "$out" ||
        ! grep -q 'would fit' "$out"; then
        echo "$file of 64 MB: exit code $code"; cat "$out"; exit 1
    fi
    train $file 500000000 || { echo "$file of 500 MB: exit code $?"; cat "$out"; exit 1; }
    echo "$file counts"
    tried=$((tried + 1))
done
[ $tried -gt 0 ] || { echo "skipped: this process is in no control group"; exit 77; }
