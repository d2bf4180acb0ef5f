#!/bin/sh
# Random damage to Python sources, in one process: each is answered or refused; what lint would write is Python again
# where the source was.
#   mutated_sources_end_well.sh GAIT ROOT [RUNS] [SEED]     (2000 unless said otherwise; a big run: 100000)
set -eu
gait=$1 root=$2 runs=${3:-2000} seed=${4:-1}
tools=$(dirname "$gait")/tests
"$gait" version | grep -q '^lint: yes' || { echo "skipped: this build has no tree-sitter"; exit 77; }
# shellcheck disable=SC2046
"$tools/mutate_sources" --seed "$seed" --runs "$runs" $(find "$root/tests/lint" "$root/tests/truth/jobs" -name '*.py' | sort)
