#!/usr/bin/env python3
"""Gait's step time beside an independent reading of the raw events.

    tests/expert/compare.py GAIT TRACE…       a row a trace, as docs/expert.md has them; exit code 1 where one differs by more than 1 %

The reading: a step takes as long as the host's median mark, or, where the device is behind the host and slower, as the period of the
kernels that recur once a step; where fewer than RECURRING_MIN do, by the ends of what each step launched. Traces without marks have
no row.
"""
import json
import subprocess
import sys

from raw import Trace
from step_time import step_of

ALLOWED = 0.01


def told(gait, path):
    said = subprocess.run([gait, "analyze", "--quiet", "--json", path], capture_output=True, check=False, text=True)
    if said.returncode:
        return None
    step = json.loads(said.stdout)["step"]
    return step["ms"], "device" if "device" in step["clock"] else "host"


def main():
    gait, bad, rows = sys.argv[1], 0, 0
    print("| trace | read, ms | by | Gait, ms | by | off |\n|:--|--:|:--|--:|:--|--:|")
    for path in sys.argv[2:]:
        try:
            want = step_of(Trace(path))
        except (ValueError, KeyError, EOFError) as e:  # Gait reads damaged files too; this reading does not
            print(f"{path}: not read: {e}", file=sys.stderr)
            continue
        if not want:
            continue
        got = told(gait, path)
        rows += 1
        off = 1e3 * got[0] / want[0] - 1 if got and got[0] else float("nan")
        wrong = not abs(off) <= ALLOWED
        bad += wrong
        name = path.partition("/traces/")[2] or path
        said = f"{got[0]:.3f} | {got[1]} | {100 * off:+.2f} %" if got else "- | - | -"
        print(f"| {name} | {want[0] / 1e3:.3f} | {want[1]} | {said}{' **' if wrong else ''} |", flush=True)
    print(f"\n{rows} traces, {bad} off by more than {100 * ALLOWED:.0f} %")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
