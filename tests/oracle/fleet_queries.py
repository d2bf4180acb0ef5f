#!/usr/bin/env python3
"""The queries of docs/scale.md, as they stand there, over 1,000 exported ranks and two small jobs.

    fleet_queries.py GAIT TOOLS ROOT

TOOLS has generate_trace and multiply_ranks. 20 generated ranks are imported, one of them late by a known time in every
step; 1,000 run files are made of them, 999 of the others and that one, and exported as one job. Two jobs of 4 ranks have
names that look like numbers and hold the same recordings, one of them exported rank by rank. The engines must agree, and
with what was planted: the late rank, the recordings that are there twice, a bandwidth.
The last line is JSON.
"""
import json
import math
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import duckdb

RANKS, DISTINCT, LATE, LATE_NS, STEPS = 1000, 20, 7, 2_000_000, 12
LARGE = "large/1 zä=%"  # a name that is no folder's


def blocks(page, language):
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(), re.M | re.S)


def make_runs(tools, gait, folder, ranks, *options):
    """Run files of generated ranks; returns their paths."""
    folder.mkdir()
    subprocess.run([tools / "generate_trace", "--ranks", str(ranks), "--steps", str(STEPS), "--layers", "2", "--compact",
                    *options, "-o", folder], check=True)
    for trace in sorted(folder.glob("*.json")):
        subprocess.run([gait, "import", "-q", "--keep-spans", "400", trace, "-o", trace.with_suffix(".gait")], check=True)
        trace.unlink()
    return sorted(folder.glob("*.gait"))


def export(gait, job, *runs):
    begin = time.monotonic()
    subprocess.run([gait, "export", "-q", "--parquet", "lake", "--job", job, *runs], check=True, stdout=subprocess.DEVNULL)
    return time.monotonic() - begin


def ask(con, sql):
    """The rows of each statement, as dicts."""
    answers = []
    for one in filter(str.strip, sql.split(";")):
        con.execute(one)
        names = [d[0] for d in con.description or []]
        answers.append([dict(zip(names, row)) for row in con.fetchall()])
    return answers


def expect(good, what):
    if not good:
        raise SystemExit(f"docs/scale.md: {what}")


def same(a, b):
    return a == b or (isinstance(a, float) and math.isclose(a, b, rel_tol=1e-9))


def check_engines(page, jobs):
    """The first question: three engines, one answer."""
    by_polars, by_pyarrow = {}, {}
    python = blocks(page, "python")
    expect(len(python) == 2, "two blocks of Python are expected")
    exec(python[0], by_polars)
    exec(python[1], by_pyarrow)
    polars, arrow = by_polars["answer"].to_dicts(), by_pyarrow["answer"].to_pylist()
    expect(len(jobs) == len(polars) == len(arrow) == 3, f"engines find other jobs: {jobs}, {polars}, {arrow}")
    for a, b, c in zip(jobs, polars, arrow):
        expect(all(same(a[k], b[k]) for k in a), f"DuckDB says {a}, Polars {b}")
        c = {"job": c["job"], "ranks": c["count_all"], "fastest_ms": c["step_ms_min"], "slowest_ms": c["step_ms_max"]}
        expect(all(same(a[k], c[k]) for k in c), f"DuckDB says {a}, pyarrow {c}")


def check_answers(answers, told):
    """told: `gait analyze --json` of the large job."""
    jobs, parts, late, fixes, kernels, exposed, tenths, twice = answers[:8]
    expect([(r["job"], r["ranks"]) for r in jobs] == [("007", 4), ("42", 4), (LARGE, RANKS)], f"other jobs: {jobs}")
    steps = [r["step"]["ms"] for r in told["ranks"]]
    expect(math.isclose(jobs[2]["step_ms"], statistics.median(steps), rel_tol=1e-6), f"another median: {jobs[2]}")
    for job in ("007", "42", LARGE):
        expect(math.isclose(sum(r["frac"] for r in parts if r["job"] == job), 1), f"parts of {job} do not add up: {parts}")
    large = [r for r in late if r["job"] == LARGE]
    expect(len(large) == 1 and large[0]["rank"] == LATE, f"the planted straggler is not told: {late}")
    expect(LATE_NS * 0.8 < large[0]["late_ms_per_step"] * 1e6 < LATE_NS * 1.2, f"its lateness is not told: {large}")
    expect(told["findings"] and {f["rule"] for f in told["findings"]} <= {r["rule"] for r in fixes}, f"fixes: {fixes}")
    expect(kernels and all(r["jobs"] == 3 for r in kernels[:3]), f"kernels: {kernels[:3]}")
    expect(exposed and all(0 <= r["exposed_frac"] <= 1 for r in exposed), f"collectives: {exposed}")
    expect(len(tenths) == 30, f"{len(tenths)} tenths")
    expect(sorted((r["rank"], *r["jobs"]) for r in twice) == [(i, "007", "42") for i in range(4)], f"there twice: {twice}")


def query_with(page, words):
    """The query of the page that has these words."""
    found = [sql for sql in blocks(page, "sql") if words in sql and not sql.startswith("create view")]
    expect(len(found) == 1, f"{len(found)} queries with {words}")
    return found[0]


def check_savings(con, page):
    """The same recordings promise the same, exported together or one by one: but for what is read of all ranks alone."""
    total = {}
    for job in ("007", "42"):
        one = con.cursor()
        for table in ("ranks", "findings"):
            one.execute(f"create or replace temp view {table} as from memory.main.{table} where job = '{job}'")
        total[job] = sum(r["predicted_gpu_s_per_step"] or 0 for r in ask(one, query_with(page, "predicted_gpu_s_per_step"))[0])
        for table in ("ranks", "findings"):
            one.execute(f"drop view temp.{table}")
    expect(0 < total["42"] and 0.7 < total["007"] / total["42"] < 1.4, f"savings of one job in two forms: {total}")


def check_bandwidth(gait, page):
    """Calls of two sizes, all at 50 GB/s: the shortest too, although it has fewer bytes than the mean."""
    events, at = [], 0
    for size in (500_000, 50_000_000) * 4:
        us = size / 50e3
        events.append({"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce_Sum_f32_RING_LL", "pid": 0, "tid": 7,
                       "ts": at, "dur": us, "args": {"device": 0, "stream": 7, "Collective name": "allreduce",
                                                     "In msg nelems": size // 4, "Out msg nelems": size // 4, "Group size": 2,
                                                     "dtype": "Float", "Process Group Name": "0"}})
        at += us + 10
    here = os.getcwd()
    os.mkdir("sizes")
    os.chdir("sizes")
    Path("sizes.json").write_text(json.dumps({"traceEvents": events}))
    export(gait, "sizes", "sizes.json")
    con = duckdb.connect()
    ask(con, blocks(page, "sql")[0])
    rows = ask(con, query_with(page, "gb_per_s_of_the_shortest"))[0]
    expect(len(rows) == 1 and math.isclose(rows[0]["gb_per_s_of_the_shortest"], 50), f"bandwidth: {rows}")
    os.chdir(here)


def main(gait, tools, root):
    gait, tools, page = Path(gait).resolve(), Path(tools).resolve(), Path(root).resolve() / "docs/scale.md"
    with tempfile.TemporaryDirectory(prefix="gait-fleet-") as work:
        os.chdir(work)
        few = make_runs(tools, gait, Path("few"), DISTINCT, "--world", str(RANKS), "--straggler", str(LATE),
                        "--slow-ns", str(LATE_NS), "--cause", "compute")
        Path("runs").mkdir()
        late = few.pop(LATE)
        subprocess.run([tools / "multiply_ranks", "runs", str(RANKS), *few], check=True)
        subprocess.run([tools / "multiply_ranks", "--rank", str(LATE), "runs", str(RANKS), late], check=True)
        small = make_runs(tools, gait, Path("small"), 4, "--seed", "2")
        seconds = export(gait, LARGE, "runs/*.gait")
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        export(gait, LARGE, "runs/*.gait")  # again: nothing may be there twice
        export(gait, "42", *small)
        for run in small:
            export(gait, "007", run)
        Path("lake/ranks/job=42/.all.parquet.new").write_bytes(b"not complete")  # as while somebody exports
        lake = list(Path("lake").rglob("*.parquet"))
        told = json.loads(subprocess.run([gait, "analyze", "-q", "--json", "runs/*.gait"], check=True,
                                         capture_output=True).stdout)
        con, begin = duckdb.connect(), time.monotonic()
        answers = [rows for sql in blocks(page, "sql") for rows in ask(con, sql)][6:]  # behind the six views
        check_answers(answers, told)
        check_engines(page, answers[0])
        check_savings(con, page)
        check_bandwidth(gait, page)
        compact = con.execute("select count(*) from read_parquet('compact/*/*.parquet')").fetchall()[0][0]
        expect(compact == RANKS + 8, f"{compact} ranks after compaction")
        print(json.dumps({"ranks": RANKS, "export_s": round(seconds, 2), "export_peak_mib": round(peak / 1024),
                          "files": len(lake),
                          "queries": len(answers) + 2, "queries_s": round(time.monotonic() - begin, 2)}))


main(*sys.argv[1:])
