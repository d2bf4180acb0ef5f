#!/usr/bin/env python3
"""Do the tables of `gait export --parquet` say what `gait analyze --json` and the run file say?

    tables_agree.py GAIT TOOLS ROOT

Several recordings: a small example, generated jobs of 4 ranks with shapes, copies and collectives, one without a
device, one without steps, one whose names are not ASCII, not UTF-8, empty and long. Each is exported and read by
pyarrow, DuckDB and Polars, which must agree; each column that the JSON or a table of the run file has is compared with
it, and every column must be compared with something. The last line is JSON.
"""
import json
import math
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

import duckdb
import polars
import pyarrow.dataset

TABLES = ("ranks", "steps", "times", "operators", "collectives", "findings")
compared = {table: set() for table in TABLES}


def us(v):
    """Exact nanoseconds of what the JSON has in microseconds."""
    return None if v is None else round(v * 1000)


def differ(a, b):
    if isinstance(a, float) and isinstance(b, (int, float)):
        return not math.isclose(a, b, rel_tol=1e-6, abs_tol=2e-6)  # the JSON has six decimals
    return a != b


def compare(what, table, rows, wanted):
    """wanted: for each row the columns that are known from elsewhere."""
    if len(rows) != len(wanted):
        raise SystemExit(f"{what}: {table} has {len(rows)} rows, {len(wanted)} are wanted")
    for i, (row, want) in enumerate(zip(rows, wanted)):
        for column, v in want.items():
            compared[table].add(column)
            if differ(row[column], v):
                raise SystemExit(f"{what}: {table}.{column} of row {i} is {row[column]!r}, not {v!r}")


def read(lake, table):
    """Rows as dicts, in the file's order; all three engines must read the same."""
    path = sorted((lake / table).rglob("*.parquet"))
    arrow = pyarrow.dataset.dataset([str(p) for p in path], format="parquet").to_table().to_pylist()
    duck = duckdb.sql(f"select * from read_parquet({[str(p) for p in path]!r}, hive_partitioning = false)")
    rows = [dict(zip(duck.columns, row)) for row in duck.fetchall()]
    pl = polars.concat([polars.read_parquet(p, hive_partitioning=False) for p in path]).to_dicts()
    if not arrow == rows == pl:
        raise SystemExit(f"{lake}: engines read other rows of {table}")
    return rows


def ranks_of(told):
    for i, r in enumerate(told["ranks"]):
        step, waits, marked = r["step"], r["waits"] or {}, not r["steps"]["method"].startswith("nothing")
        yield {"rank": r["rank"], "world": r["world"], "source": told["source"], "path": r["path"], "host": r["host"],
               "device": r["device"], "devices": r["device_count"], "framework": r["framework"],
               "complete": r["complete"], "text_bytes": r["text_bytes"], "events": r["events"],
               "events_skipped": r["events_skipped"], "spans_seen": r["spans_seen"], "steps": r["steps"]["count"] if marked else 0,
               "step_method": r["steps"]["method"], "step_clock": step["clock"], "step_ms": step["ms"], "step_low_ms": step["low_ms"],
               "step_high_ms": step["high_ms"], "step_min_ms": r["steps"]["min_ms"] if marked else None,
               "step_max_ms": r["steps"]["max_ms"] if marked else None, "kernels": r["kernels"], "kernels_per_step": r["kernels_per_step"],
               "wait_ns": us(waits.get("wait_us")), "late_ns": us(waits.get("late_us")),
               "is_straggler": i == told["job"]["straggler_index"], "is_shown": i == told["shown_index"]}


def times_of(told):
    """{(rank, place, what): (of a step, of the recording)}"""
    words = {"idle_blocked_host": "idle: blocked host", "communication_total": "communication total",
             "copies_total": "copies total"}
    found = {}
    for r in told["ranks"]:
        place = "device" if not r["time_us"]["reason"] else "host"
        for key, v in r["time_us"].items():
            if v is not None and key != "reason":
                step = r["step_time_us"] and r["step_time_us"][key]
                what = words.get(key, key.replace("idle_", "idle: "))
                found[r["rank"], place, what] = (us(step), us(v))
        for key, v in (r["phases_ms"] or {}).items():
            found[r["rank"], "phases", key] = (v * 1e6, None)
    return found


def check_times(what, rows, told):
    found, wholes = times_of(told), {}
    if {(r["rank"], r["place"], r["what"]) for r in rows} != set(found):
        raise SystemExit(f"{what}: times has other rows than the JSON: "
                         f"{ {(r['rank'], r['place'], r['what']) for r in rows} ^ set(found)}")
    for r in rows:
        step, recording = found[r["rank"], r["place"], r["what"]]
        if r["recording_ns"] != recording or not (step is None and r["step_ns"] is None or
                                                  abs(step - r["step_ns"]) < 2):
            raise SystemExit(f"{what}: times: {r} and not {step}, {recording}")
        if r["part_of"]:
            wholes.setdefault((r["rank"], r["place"], r["part_of"]), []).append(r)
    for (rank, place, whole), parts in wholes.items():
        if whole != "step" and sum(p["recording_ns"] for p in parts) != found[rank, place, whole][1]:
            raise SystemExit(f"{what}: parts of {whole} of rank {rank} do not add up: {parts}")
    compared["times"].update(rows[0] if rows else ())


def operators_of(told):
    for r in told["ranks"]:
        for op in r["ops"]:
            recorded = op["bytes"] if op["bytes_origin"] == "measured" else None
            yield {"rank": r["rank"], "place": op["place"], "kind": op["kind"], "name": op["name"], "label": op["label"],
                   "count": op["count"], "self_ns": us(op["self_us"]), "total_ns": us(op["total_us"]),
                   "max_ns": us(op["max_us"]), "flop_counted": op["flop_counted"], "bytes_recorded": recorded,
                   "bytes_counted": None if recorded else op["bytes"]}


def findings_of(told):
    for f in told["findings"]:
        price, lines = f["price"], f["lines"]
        yield {"rank": told["ranks"][told["shown_index"]]["rank"], "number": f["number"], "id": f["id"], "rule": f["rule"],
               "found_at": f["where"], "file": lines[0]["file"] if lines else None,
               "line": lines[0]["line"] if lines else None, "evidence": f["evidence"], "holds_ms": f["holds_ms"],
               "step_ms": told["replay"]["step_ms"], "effort": f["effort"], "priority": f["priority"],
               "confidence": f["confidence"], "price_kind": price["kind"], "apart": price["apart"],
               "predicted_gain_ms": price["gain_ms"], "predicted_step_ms": price["step_ms"],
               "predicted_low_ms": price["low_ms"], "predicted_high_ms": price["high_ms"],
               "predicted_ratio": price["ratio"]}


def query(runs, sql):
    rows = []
    for run in runs:
        con = sqlite3.connect(f"file:{run}?mode=ro", uri=True)
        con.text_factory, con.row_factory = lambda b: b.decode(errors="each byte"), sqlite3.Row
        rows += [dict(r) for r in con.execute(sql)]
        con.close()
    return rows


STEPS = """select r.rank, s.number, s.begin_ns - r.first_ns as begin_ns, s.end_ns - s.begin_ns as duration_ns, s.device_spans,
    case when r.devices > 0 then s.device_end_ns - s.device_begin_ns end as device_span_ns,
    s.device_ns, nullif(s.flop, 0) as flop_counted from raw_steps s join raw_ranks r on r.id = s.rank
    where r.id not in (select id from ranks where step_method like 'nothing%') order by s.id"""
COLLECTIVES = """select r.rank, c.name, nullif(c.group_size, 0) as group_size, nullif(c.dtype, '') as dtype, c.count,
    nullif(c.bytes, 0) as bytes, c.total_ns, c.exposed_ns, c.min_ns,
    (select nullif(max(one.bytes), 0) from collectives one where one.rank = c.rank and one.name = c.name
     and one.group_size = c.group_size and one.dtype = c.dtype and one.dur_ns = c.min_ns) as min_bytes
    from collective_sums c join raw_ranks r on r.id = c.rank order by c.id"""
RANKS = """select case when base_ns > 0 then base_ns + first_ns end as begin_unix_ns, last_ns - first_ns as recorded_ns
    from raw_ranks order by rank"""
DEVICE_NS = """select r.rank, o.name, o.place, case when r.devices > 0 then o.device_ns end as device_ns from ops o join raw_ranks r on r.id = o.rank"""


def minus_is_null(rows):
    return [{k: None if k == "rank" and v == -1 else v for k, v in row.items()} for row in rows]


def check(gait, work, what, operands):
    lake, run = work / f"lake-{what}", work / f"{what}.gait"
    subprocess.run([gait, "export", "-q", "--whole", "--parquet", lake, "--job", what, *operands], check=True,
                   stdout=subprocess.DEVNULL)
    subprocess.run([gait, "import", "-q", *operands, "-o", run], check=True)
    done = subprocess.run([gait, "analyze", "-q", "--json", "--top", "10000", *operands], check=True, capture_output=True)
    told, rows = json.loads(done.stdout), {table: read(lake, table) for table in TABLES}
    by_rank = lambda want: sorted(minus_is_null(want), key=lambda r: -1 if r["rank"] is None else r["rank"])  # noqa: E731
    compare(what, "ranks", rows["ranks"], list(ranks_of(told)))
    compare(what, "ranks", rows["ranks"], query([run], RANKS))
    compare(what, "steps", rows["steps"], by_rank(query([run], STEPS)))
    waits = [{"wait_ns": us(s["wait_us"])} for r in told["ranks"] if r["waits"] for s in r["waits"]["steps"]]
    compare(what, "steps", [r for r in rows["steps"] if r["wait_ns"] is not None], waits)
    compare(what, "collectives", rows["collectives"], by_rank(query([run], COLLECTIVES)))
    check_times(what, rows["times"], told)
    compare(what, "operators", rows["operators"], list(operators_of(told)))
    device = {(r["rank"], r["name"], r["place"]): r["device_ns"] for r in minus_is_null(query([run], DEVICE_NS))}
    compared["operators"].add("device_ns")
    for r in rows["operators"]:  # text of the view has bytes that are not UTF-8 as they are
        if "�" not in r["name"] and device.get((r["rank"], r["name"], r["place"]), "none") != r["device_ns"]:
            raise SystemExit(f"{what}: device_ns of {r['name']} is {r['device_ns']}")
    compare(what, "findings", rows["findings"], list(findings_of(told)))
    return {table: len(r) for table, r in rows.items()}


def odd_names():
    """A trace whose operators have odd names; bytes, since some are not UTF-8."""
    names = ["", "zähler 步態 🚶", "'; drop table ranks; --", "a\\nb\\t\\\"", "PAR1", "x" * 500_000]
    events = [f'{{"ph": "X", "cat": "cpu_op", "name": "{name}", "pid": 1, "tid": 1, "ts": {i * 100}, "dur": 50}}'.encode()
              for i, name in enumerate(names)]
    events.append(b'{"ph": "X", "cat": "cpu_op", "name": "not utf-8 \xff\xc3", "pid": 1, "tid": 1, "ts": 5000, "dur": 7}')
    return b'{"traceEvents": [' + b",\n".join(events) + b"]}"


def main(gait, tools, root):
    gait, tools, root = Path(gait).resolve(), Path(tools).resolve(), Path(root).resolve()
    with tempfile.TemporaryDirectory(prefix="gait-tables-") as work:
        work, jobs = Path(work), {"example": [root / "examples/three_steps.trace.json"]}
        for name, *options in (("shapes", "--shapes", "--flows", "--straggler", "2"), ("old", "--old", "--vendor", "amd"),
                               ("unmarked", "--marks", "none", "--no_comm", "--orphans")):
            subprocess.run([tools / "generate_trace", "--ranks", "4", "--steps", "12", "--layers", "2", *options, "-o",
                            work / name], check=True)
            jobs[name] = sorted((work / name).glob("*.json"))
        (work / "odd.json").write_bytes(odd_names())
        jobs["odd"] = [work / "odd.json"]
        rows = {}
        for what, operands in jobs.items():
            rows[what] = check(gait, work, what, operands)
            print(f"{what}: {rows[what]}", flush=True)
        missing = [f"{t}.{c}" for t in TABLES for c in read(work / "lake-shapes", t)[0]
                   if c not in compared[t]]
        if missing:
            raise SystemExit(f"compared with nothing: {missing}")
        print(json.dumps({"jobs": len(jobs), "rows": sum(sum(r.values()) for r in rows.values()),
                          "columns": sum(map(len, compared.values()))}))


if __name__ == "__main__":
    import codecs
    codecs.register_error("each byte", lambda e: ("�", e.start + 1))
    main(*sys.argv[1:])
