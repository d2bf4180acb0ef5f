"""A trace as its events stand in the file: nothing of Gait's reading is used, so that both can be compared."""
import gzip
import json
import re
from dataclasses import dataclass, field

DEVICE = {"kernel", "gpu_memcpy", "gpu_memset", "mtia_ccp_events"}
CALLS = {"cuda_runtime", "cuda_driver", "mtia_runtime", "privateuse1_runtime", "privateuse1_driver"}
OLD = {"operator": "cpu_op", "runtime": "cuda_runtime", "memcpy": "gpu_memcpy", "memset": "gpu_memset"}  # names of 2021


@dataclass
class Event:
    name: str
    cat: str
    begin: float  # µs
    dur: float
    pid: object
    tid: object
    args: dict = field(repr=False, default_factory=dict)

    @property
    def end(self):
        return self.begin + self.dur


def category(row):
    cat = str(row.get("cat", "")).lower()
    return OLD.get(cat, cat)


class Trace:
    def __init__(self, path):
        data = open(path, "rb").read()
        if data[:2] == b"\x1f\x8b":
            data = gzip.decompress(data)
        loaded = json.loads(data.decode("utf-8", "replace"), strict=False)
        rows = loaded["traceEvents"] if isinstance(loaded, dict) else loaded
        self.head = {k: v for k, v in loaded.items() if k != "traceEvents"} if isinstance(loaded, dict) else {}
        self.events = sorted((Event(str(r.get("name", "")), category(r), float(r["ts"]), float(r.get("dur", 0)),
                                    r.get("pid"), r.get("tid"), r.get("args") or {})
                              for r in rows if isinstance(r, dict) and r.get("ph") == "X" and "ts" in r), key=lambda e: e.begin)
        self.device = [e for e in self.events if e.cat in DEVICE]
        self.calls = {e.args["correlation"]: e for e in self.events if e.cat in CALLS and "correlation" in e.args}

    def launch(self, work):
        """The host's call that launched device work, or None."""
        return self.calls.get(work.args.get("correlation"))

    def marks(self):
        """Steps as the host marks them: ProfilerStep#N, each once; without the rest in which the profiler was stopped."""
        found = {}
        for e in self.events:
            if re.fullmatch(r"ProfilerStep\s*#?\d+", e.name) and e.cat != "gpu_user_annotation":
                found.setdefault(e.name, e)
        steps = sorted(found.values(), key=lambda e: e.begin)
        return steps[:-1] if len(steps) > 1 and steps[-1].dur < 0.05 * steps[-2].dur else steps
