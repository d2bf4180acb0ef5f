#!/bin/sh
# The example, as docs/start.md runs it: the validation loss comes within 0.05 nats of the built-in source's
# computed entropy, and not below it by more than the evaluation's standard error.
set -eu
gait=$1 root=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
start=$(date +%s)
"$gait" train "$root/examples/tiny.yaml" --json >"$work/result.json" 2>"$work/log"
seconds=$(($(date +%s) - start))
tail -n 4 "$work/log"
python3 - "$work/result.json" $seconds <<'PY'
import json, sys
r, seconds = json.load(open(sys.argv[1])), int(sys.argv[2])
loss, se, entropy = r["validation_loss"], r["validation_standard_error"], r["entropy"]
print(f"validation {loss:.4f} +- {se:.4f}, entropy {entropy:.4f}, excess {loss - entropy:+.4f} nats, {seconds} s")
assert loss - entropy <= 0.05, "not within 0.05 nats"
assert loss >= entropy - se, "below the entropy: the figure or the source is wrong"
PY
