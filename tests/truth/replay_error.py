"""How far the replay of unchanged traces is from what was measured: the worst step or whole, over the real traces
beside the project."""
import functools
import json
import os
import subprocess

from cases import HERE

ROOT = os.path.dirname(os.path.dirname(HERE))
CHECK = os.path.join(ROOT, "build", "tests", "check_replay")
TRACES = os.path.join(ROOT, "..", "shared", "traces")


def _traces():
    return sorted(os.path.join(folder, name) for folder, _, names in os.walk(TRACES) if "straggler" not in folder
                  for name in names if name.endswith((".json", ".json.gz")))


@functools.cache
def worst():
    """The fields of the last line."""
    traces = _traces()
    if not traces or not os.path.exists(CHECK):
        why = "the real traces are not here" if not traces else "build/tests/check_replay is not built"
        return {"replay_worst_error": None, "replay_reason": why}
    out = subprocess.run([CHECK, *traces], capture_output=True, text=True, check=True).stdout
    total = json.loads(out.splitlines()[-1])
    error = max(abs(total["worst_span_percent"]), abs(total["worst_step_percent"])) / 100
    return {"replay_worst_error": round(error, 5), "replay_traces": total["traces"]}
