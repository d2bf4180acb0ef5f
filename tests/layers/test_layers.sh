#!/bin/sh
# The law of includes is enforced: each planted violation must be caught, the tree itself must pass.
#   test_layers.sh SOURCE_ROOT
set -eu
root=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$root/scripts/check-layers" "$root" || { echo "the tree itself breaks the law"; exit 1; }

caught() { # file, line to plant, what the message must say
    rm -rf "$work/src"
    cp -r "$root/src" "$work/src"
    mkdir -p "$work/$(dirname "$1")"
    printf '%s\n' "$2" >>"$work/$1"
    if "$root/scripts/check-layers" "$work" 2>"$work/err"; then
        echo "not caught: $2 in $1"; exit 1
    fi
    grep -q "$3" "$work/err" || { echo "wrong message for $2 in $1:"; cat "$work/err"; exit 1; }
}

caught src/base/status.c '#include "run/run.h"' 'base may not include run/run.h'
caught src/analyze/analysis.c '#include "trace/trace_reader.h"' 'analyze may not include'
caught src/trace/classify.c '#include "train/train.h"' 'trace may not include'
caught src/analyze/analysis.c '#include <sqlite3.h>' 'sqlite3.h belongs to run alone'
caught src/train/planted.c '#include <dnnl.h>' 'dnnl.h belongs to engine alone'
caught src/cli/main.c '  #  include "mpi.h"' 'mpi.h belongs to dist alone'
caught src/run/run.c '#include "run.h"' 'is not written as folder/file.h'
caught src/report/run.c '#include <math.h>' 'is used twice'
caught src/util/x.c '#include <math.h>' 'has no line in src/layers.txt'
echo "9 planted violations were caught"
