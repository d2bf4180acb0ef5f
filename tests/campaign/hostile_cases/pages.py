"""Names in HTML: each payload in every place from which a report takes text, one trace or run a payload and place."""
import json
import sqlite3

from . import Hostile, Seeds
from . import runs
from .payloads import PAYLOADS

PLACES = ["operators", "kernels", "modules", "frames", "annotations", "threads", "device", "collectives", "shapes", "everywhere"]


def _hostile_trace(good, payload, place):
    """The example's trace with the payload in one place, or in all."""
    trace = json.loads(good)

    def here(name):
        return place in (name, "everywhere")

    for e in trace["traceEvents"]:
        kind, args = e.get("cat", ""), e.get("args", {})
        if here("operators") and kind == "cpu_op" or here("kernels") and kind == "kernel" or \
                here("annotations") and kind == "user_annotation" and not e["name"].startswith("ProfilerStep"):
            e["name"] += payload
        if here("threads") and e.get("ph") == "M":
            e["args"] = {k: f"{v}{payload}" if isinstance(v, str) else v for k, v in args.items()}
        if here("shapes") and kind == "cpu_op":
            e.setdefault("args", {})["Input Dims"] = [[payload, 2], payload]
            e["args"]["Input type"] = [payload]
    steps = [e for e in trace["traceEvents"] if e.get("name", "").startswith("ProfilerStep")]
    for i, s in enumerate(steps):
        base = {"ph": "X", "pid": s["pid"], "tid": s["tid"]}
        if here("modules") or here("frames"):
            trace["traceEvents"] += [
                {**base, "cat": "python_function", "name": f"nn.Module: Net{payload}_0", "ts": s["ts"], "dur": s["dur"],
                 "args": {"Python id": i * 2 + 1}},
                {**base, "cat": "python_function", "name": f"train{payload}.py({i + 1}): step{payload}", "ts": s["ts"] + 1,
                 "dur": s["dur"] - 2, "args": {"Python id": i * 2 + 2, "Python parent id": i * 2 + 1}}]
        if here("collectives"):
            trace["traceEvents"].append(
                {**base, "cat": "kernel", "name": f"ncclKernel_AllReduce{payload}", "ts": s["ts"] + 5, "dur": 50, "tid": 77,
                 "args": {"stream": 77, "device": 0, "Collective name": f"allreduce{payload}", "dtype": payload, "Group size": 8,
                          "In msg nelems": 100, "Process Group Name": payload}})
    if here("device"):
        trace["deviceProperties"] = [{"id": 0, "name": payload, "totalGlobalMem": 1 << 30}]
        trace["distributedInfo"] = {"backend": payload, "rank": 0, "world_size": 8, "pg_config": [{"pg_desc": payload}]}
    return json.dumps(trace)


def _from_trace(seeds, n, place):
    def write(folder):
        # a name of a file may not hold a slash; the rest stays
        name = PAYLOADS[n].replace("/", "").replace("\0", "")[:60].encode("utf-8", "replace").decode()
        path = folder / f"{name}.json"
        path.write_text(_hostile_trace(seeds.trace.read_text(), PAYLOADS[n], place))
        return str(path)
    return Hostile(f"{place}/{n}", write)


def _from_run(seeds, n):
    """All names of a run: facts, notes and settings too."""
    def change(db):
        runs._set_names(db, lambda i: names[i] + PAYLOADS[n].encode("utf-8", "surrogatepass"))
    db = sqlite3.connect(seeds.run)
    names = {i: t.encode() for i, t in db.execute("SELECT id, text FROM raw_names")}
    db.close()
    return runs._python(seeds, f"run/{n}", change)


def handmade(seeds: Seeds):
    cases = [_from_trace(seeds, n, "everywhere") for n in range(len(PAYLOADS))]
    cases += [_from_run(seeds, n) for n in range(len(PAYLOADS))]
    return cases + [_from_trace(seeds, n, place) for n in range(len(PAYLOADS)) for place in PLACES[:-1]]


def random(seeds, rng, i):
    """Two payloads in a row: what one closes the other may use."""
    a, b, place = rng.choice(PAYLOADS), rng.choice(PAYLOADS), rng.choice(PLACES)

    def write(folder):
        (folder / "x.json").write_text(_hostile_trace(seeds.trace.read_text(), a + b, place))
        return str(folder / "x.json")
    return Hostile(f"random/{i}-{place}", write)


def commands(at, out, seeds):
    return [("report", ["report", at, "-o", f"{out}/r.html"]), ("report .md", ["report", at, "-o", f"{out}/r.md"]),
            ("report .json", ["report", at, "-o", f"{out}/r.json"]), ("analyze", ["analyze", at]),
            ("explain", ["explain", at])]
