"""Gait's figures of generated traces against the generator's answers, exactly.

   generated_answers.py GAIT GENERATE_TRACE WORK

All figures are compared in whole nanoseconds: the run's tables (gait import) and the JSON
(gait analyze --json), whose microseconds have three exact decimals.
"""
import glob
import json
import os
import sqlite3
import statistics
import subprocess
import sys

import generated_cases

GAIT, GENERATE, WORK = sys.argv[1:4]
PARTS = ("span", "compute", "communication", "copies", "idle", "communication_total",
         "copies_total")
CONTAINERS = ("step", "annotation", "python")  # not operators: the JSON leaves them out
MARKS_PROFILER = 0
BY_OPTIMIZER = (2, 3)  # marks of the optimizer alone, and of Lightning beside them
RANK_IN_NAME, RANK_IN_NOTHING = 2, 3


class Differences:
    """What differs in one case."""

    def __init__(self):
        self.list = []

    def same(self, what, got, want):
        if got != want:
            self.list.append(f"{what}: {got}, but the answer is {want}")


def ns(us):
    return None if us is None else round(us * 1000)


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}: exit {done.returncode}: {done.stderr.strip()}")
    return done.stdout


# --- tables of the run ---

def check_rank_row(d, db, rank, want, answers):
    row = db.execute("select * from ranks where id = ?", (rank,)).fetchone()
    for key in ("events", "first_ns", "last_ns", "base_ns"):
        d.same(f"ranks.{key}", row[key], want[key])
    d.same("ranks.spans_seen", row["spans_seen"], want["spans"])
    d.same("ranks.events_skipped", row["events_skipped"], 0)
    d.same("ranks.complete", row["complete"], 1)
    named = not answers["bare"] and answers["rank_in"] < RANK_IN_NAME
    d.same("ranks.world", row["world"], answers["world"] if named else 0)
    unknown = (answers["bare"] or answers["rank_in"] == RANK_IN_NOTHING) and \
        answers["rank_in"] != RANK_IN_NAME
    d.same("ranks.rank", row["rank"], -1 if unknown else want["rank"])


def check_steps(d, db, rank, want):
    rows = db.execute("select number, begin_ns, end_ns, device_spans from steps where rank = ? "
                      "order by begin_ns", (rank,)).fetchall()
    d.same("steps", [tuple(r) for r in rows],
           [(s["number"], s["begin_ns"], s["end_ns"], s["device_spans"]) for s in want])


def check_recording(d, db, rank, want):
    """Without marks the recording is taken as one."""
    rows = db.execute("select begin_ns, end_ns from steps where rank = ?", (rank,)).fetchall()
    d.same("the recording", [tuple(r) for r in rows], [(want["first_ns"], want["last_ns"])])


def check_optimizer_steps(d, db, rank, want):
    """Without better marks a step lasts from the end of one optimizer step to that of the next."""
    rows = db.execute("select begin_ns, end_ns from steps where rank = ? order by begin_ns", (rank,)).fetchall()
    ends = [s["optimizer_end_ns"] for s in want]
    d.same("optimizer steps", [tuple(r) for r in rows], list(zip(ends, ends[1:])))


def device_times(db, rank):
    """{number of the step, or None for the whole: {part: ns}}"""
    out = {}
    for number, what, value in db.execute(
            "select s.number, t.what, t.ns from times t left join steps s on s.id = t.step "
            "where t.rank = ? and t.lane = -1 and t.device = -1", (rank,)):
        out.setdefault(number, {})[what.replace(" ", "_")] = value
    return out


def check_parts(d, what, got, want):
    """The parts, and that the reasons for idleness make up all of it."""
    got = got or {}
    d.same(what, {p: got.get(p) for p in want}, want)
    d.same(f"reasons for idleness, {what}", sum(ns for p, ns in got.items() if p.startswith("idle:")), got.get("idle"))


def check_times(d, db, rank, want, marked):
    got = device_times(db, rank)
    check_parts(d, "times", got.get(None), want["time_ns"])
    if marked:
        for s in want["steps"]:
            check_parts(d, f"times of step {s['number']}", got.get(s["number"]), {p: s[p] for p in PARTS})


def want_ops(want, marked):
    ops = {(o["place"], o["kind"], o["name"]):
           (o["count"], o["self_ns"], o["total_ns"], o["max_ns"], o["bytes"])
           for o in want["ops"][1:]}
    for s in want["steps"] if marked else ():
        length = s["end_ns"] - s["begin_ns"]
        ops["cpu", "step", f"ProfilerStep#{s['number']}"] = (1, s["self_ns"], length, length, 0)
    return ops


def check_ops(d, db, rank, want, marked):
    got = {(r[0], r[1], r[2]): tuple(r[3:]) for r in db.execute(
        "select place, kind, name, count, self_ns, total_ns, max_ns, "
        "case bytes_origin when 'measured' then bytes else 0 end from ops where rank = ?",
        (rank,))}
    wanted = want_ops(want, marked)
    for key in sorted(got.keys() | wanted.keys()):
        d.same(f"ops {key} (count, self, total, max, bytes)", got.get(key), wanted.get(key))


def want_lane(lane, want):
    if lane["kind"] == "device":
        span = want["time_ns"]["span"]
        return {"span": span, "busy": lane["busy_ns"], "idle": span - lane["busy_ns"]}
    span = want["host_window_ns"]
    return {"span": span, "busy": lane["busy_ns"], "waiting": lane["waiting_ns"],
            "unattributed": span - lane["busy_ns"] - lane["waiting_ns"]}


def check_lanes(d, db, rank, want):
    got = {}
    for kind, tid, what, value in db.execute(
            "select l.kind, l.tid, t.what, t.ns from times t join lanes l on l.id = t.lane "
            "where t.rank = ? and t.step = -1", (rank,)):
        got.setdefault((kind, tid), {})[what] = value
    wanted = {(x["kind"], x["tid"]): want_lane(x, want) for x in want["lanes"][1:]}
    for key in sorted(got.keys() | wanted.keys()):
        d.same(f"lane {key}", got.get(key), wanted.get(key))


def check_rest(d, db, rank, want, options):
    old = "--old" in options
    summed = old and "--shuffle" in options  # changes without totals, added in the file's order
    launches, = db.execute(
        "select count(*) from edges e join spans s on s.id = e.dst join lanes l on l.id = s.lane "
        "where e.kind = 'launch' and l.rank = ?", (rank,)).fetchone()
    d.same("launches", launches, want["launches"])
    peak, = db.execute("select max(bytes) from memories where rank = ? and what = 'allocated'",
                       (rank,)).fetchone()
    if not summed:
        d.same("peak memory", -1 if peak is None else peak, want["peak_allocated_bytes"])
    notes = [t for t, in db.execute("select text from notes where rank = ?", (rank,))]
    expected = [t for t in notes if old and t.startswith("[memory] events without totals")]
    d.same("notes", notes, expected)


def check_run(d, path, answers, options, whole):
    db = sqlite3.connect(path)
    db.row_factory = sqlite3.Row
    marked = answers["marks"] == MARKS_PROFILER
    ids = [r[0] for r in db.execute("select id from ranks order by id")]
    d.same("ranks", len(ids), len(answers["ranks"]))
    by_path = {os.path.basename(w["path"]): w for w in answers["ranks"]}
    for rank in ids:
        name, = db.execute("select path from ranks where id = ?", (rank,)).fetchone()
        want = by_path[os.path.basename(name)]
        check_rank_row(d, db, rank, want, answers)
        if answers["marks"] in BY_OPTIMIZER:
            check_optimizer_steps(d, db, rank, want["steps"])
        else:
            if marked:
                check_steps(d, db, rank, want["steps"])
            else:
                check_recording(d, db, rank, want)
            check_lanes(d, db, rank, want)  # within the steps, where there are any
        check_times(d, db, rank, want, marked)
        check_ops(d, db, rank, want, marked)
        if whole:
            check_rest(d, db, rank, want, options)
    db.close()


# --- the JSON ---

def check_json_steps(d, got, want):
    lengths = [s["end_ns"] - s["begin_ns"] for s in want["steps"]]
    d.same("JSON steps.count", got["steps"]["count"], len(lengths))
    median = statistics.median(lengths)
    for where, key, value in (("step", "ms", median), ("steps", "min_ms", min(lengths)), ("steps", "max_ms", max(lengths))):
        if abs(got[where][key] * 1e6 - value) > 0.6:  # of an even number: half a ns
            d.same(f"JSON {where}.{key}", got[where][key] * 1e6, value)
    lacks = len(lengths) > 2 and want["steps"][0]["overhangs"]
    later = list(zip(want["steps"], lengths))[lacks:]  # the first lacks what was left of the step before
    typical = [s for s, length in later if abs(length - median) <= median / 2] or [s for s, _ in later]
    d.same("JSON steps.typical", got["steps"]["typical"], len(typical))
    of_all = median / sum(s["end_ns"] - s["begin_ns"] for s in typical)
    for part in PARTS:
        share = of_all * sum(s[part] for s in typical)
        if abs(ns(got["step_time_us"][part]) - share) > 1:
            d.same(f"JSON step_time_us.{part}", ns(got["step_time_us"][part]), share)
    launched = round(sum(s["device_spans"] for s in typical) / len(typical), 3)
    d.same("JSON kernels_per_step", got["kernels_per_step"], launched)


def check_json_rank(d, got, want, marked):
    for part in PARTS:
        d.same(f"JSON time_us.{part}", ns(got["time_us"][part]), want["time_ns"][part])
    d.same("JSON kernels", got["kernels"], want["device_spans"])
    d.same("JSON events", got["events"], want["events"])
    if marked:
        check_json_steps(d, got, want)
    wanted = {k: v for k, v in want_ops(want, marked).items()
              if k[1] not in CONTAINERS and k[:2] != ("device", "sync")}
    d.same("JSON ops_total", got["ops_total"], len(wanted))
    for op in got["ops"]:
        key = (op["place"], op["kind"], op["name"])
        d.same(f"JSON op {key}",
               (op["count"], ns(op["self_us"]), ns(op["total_us"]), ns(op["max_us"])),
               wanted.get(key, (None,) * 4)[:4])


def check_json(d, text, answers):
    got = json.loads(text)
    d.same("JSON ranks", len(got["ranks"]), len(answers["ranks"]))
    by_path = {os.path.basename(w["path"]): w for w in answers["ranks"]}
    for rank in got["ranks"]:
        check_json_rank(d, rank, by_path[os.path.basename(rank["path"])],
                        answers["marks"] == MARKS_PROFILER)


# --- the job's own logic: what the ranks' clocks must show ---

def check_job(d, answers):
    """Every rank's step is as long as the others', and who is late does not wait."""
    for step in range(answers["steps"]):
        rows = [r["steps"][step] for r in answers["ranks"]]
        d.same("lengths of a step over ranks", len({r["end_ns"] - r["begin_ns"] for r in rows}), 1)
        d.same("somebody waits for nobody", min(r["wait_ns"] for r in rows), 0)
        base = {r["communication"] - r["wait_ns"] for r in rows}
        d.same("exposed communication less the wait, over ranks", len(base), 1)
        if answers["straggler"] >= 0:
            d.same("the straggler's wait", rows[answers["straggler"]]["wait_ns"], 0)


def check(name, options, ranks):
    d = Differences()
    for old in glob.glob(f"{WORK}/*"):
        subprocess.run(["rm", "-rf", old], check=True)
    trace = f"{WORK}/job" if ranks else f"{WORK}/t.json"
    run(GENERATE, *options, "--answers", f"{WORK}/answers.json", "-o", trace)
    answers = json.load(open(f"{WORK}/answers.json", encoding="utf-8"))
    for how in IMPORTS:
        run(GAIT, "import", "-q", *how, trace, "-o", f"{WORK}/run.gait")
        check_run(d, f"{WORK}/run.gait", answers, options, "--keep-spans" not in how)
    check_json(d, run(GAIT, "analyze", "-q", "--json", "--top", "1000", trace), answers)
    if ranks:
        check_job(d, answers)
    if d.list:
        print(f"{name}: {len(d.list)} figures differ (generate_trace {' '.join(options)})")
        print("".join(f"    {x}\n" for x in d.list[:6]), end="")
    return not d.list


def ways_to_import():
    """Sums are over everything, whatever is kept and however many threads read."""
    ways = [[], ["--keep-spans", "100"]]
    if "--threads" in run(GAIT, "import", "--help"):
        ways += [["--threads", "3"], ["--threads", "2", "--keep-spans", "1"]]
    return ways


IMPORTS = ways_to_import()


def main():
    cases = [(n, o, False) for n, o in generated_cases.single()]
    cases = cases[::int(os.environ.get("GENERATED_EVERY", "1"))]  # for slow builds
    cases += [(n, o, True) for n, o in generated_cases.several()]
    bad = sum(not check(*case) for case in cases)
    print(f"{len(cases)} generated traces, {bad} with other figures than the known ones")
    return bad > 0


sys.exit(main())
