#!/bin/sh
# At any limit on the address space (ulimit -v) each command works or says why it cannot; none dies of a signal.
exec python3 "$2/tests/e2e/memory_limits.py" "$1" "$2" --growth "${MEMORY_LIMITS_GROWTH:-1.15}"
