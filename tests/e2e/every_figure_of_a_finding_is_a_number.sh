#!/bin/sh
# Each number that a finding's text says (evidence, where it is in launches or milliseconds, why the price may be wrong) stands in its values,
# in the order of the sentence and in the unit that the text gives. Of all small traces, and of recordings.
set -eu
gait=$1 root=$2
PYTHONDONTWRITEBYTECODE=1 python3 "$root/tests/e2e/figures.py" "$gait" "$root"
