"""Each job with and without `gait record`: the same stdout and exit code, and the right steps in the run.

    record_jobs.py GAIT JOBS_FOLDER WORK_FOLDER CASE…
Exit code 77 where every job says so itself: what it needs is not here.
"""
import glob
import json
import os
import signal
import sqlite3
import subprocess
import sys

# The seconds of --replacements are far more than these jobs need: what fits must not depend on how busy the machine is.
OPTIONS = ["--rounds", "3", "--untraced", "3", "--traced", "2", "--warmup", "4", "--replacements", "60"]


class Case:
    """What is expected: steps, calls of optimizers a step, ranks (0: nothing recorded), and what stderr says."""

    def __init__(self, steps, calls=1, ranks=1, says="next: gait analyze", exit_code=0, backwards=1, state="complete",
                 launcher=(), rules=(), notes=(), site=False, has=("step", "optimizer", "backward", "traced step")):
        self.__dict__.update(locals())


# With gloo a rank may abort as it ends: threads that outlive destroy_process_group() hold tensors then. That is
# PyTorch's own race, so jobs of several ranks, and only those, are run up to so many times.
ABORT = "terminate called without an active exception"
RANKS_TRIES = 3
ALL_RULES = ("optimizer-unfused", "attention-unfused", "qkv-unfused", "precision-f32")
TWO_RANKS = ("-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2")
CASES = {
    "plain": Case(120, rules=ALL_RULES, has=("step", "optimizer", "backward", "traced step", "evaluate", "save")),
    "trainer_class": Case(120, rules=ALL_RULES),
    "two_optimizers": Case(120, calls=3, backwards=3),
    "accumulation": Case(120, backwards=3, rules=ALL_RULES),
    "amp": Case(120, rules=("optimizer-unfused", "attention-unfused")),
    "compiled": Case(120, rules=("optimizer-unfused",)),
    "loader_workers": Case(160, rules=ALL_RULES, has=("step", "optimizer", "backward", "loader", "traced step")),
    "two_ranks": Case(120, ranks=2, rules=ALL_RULES[:3], launcher=TWO_RANKS),
    "ranks_that_talk": Case(120, ranks=2, rules=("optimizer-unfused",), launcher=TWO_RANKS,
                            notes=("precision-f32: not measured: the job has several ranks, for which a copy of the model on one of "
                                   "them might wait",)),
    "kept_results": Case(240, rules=("invariant", "repeated", "recomputed")),
    "crashes": Case(20, exit_code=3, state="ended early", says="ended early after 20 steps"),
    "hugging_face": Case(120, rules=("attention-unfused", "precision-f32"),
                         has=("step", "optimizer", "backward", "traced step", "evaluate", "save", "loader")),
    "no_optimizer": Case(0, ranks=0, says="no torch.optim optimizer ever stepped"),
    "own_profiler": Case(0, ranks=0, says="uses a profiler itself"),
    "late_profiler": Case(120),  # counted until its own profiler starts
    "forks": Case(132),
    "no_torch": Case(0, ranks=0, exit_code=6, says="No Python of the job imported torch.optim"),
    "own_site": Case(120, site=True),
}


def run(command, environment, cwd):
    done = subprocess.run(command, env=environment, cwd=cwd, capture_output=True, timeout=280)
    return done.returncode, done.stdout, done.stderr.decode(errors="replace")


def aborted(done):
    return done[0] != 0 and ABORT in done[2]


def run_bare(job, environment, cwd, tries):
    """The job without gait, again while it aborts; and whether it ever did."""
    for i in range(tries):
        done = run(job, environment, cwd)
        if not aborted(done):
            return done, i > 0
    return done, True


def run_recorded(command, job, environment, cwd, tries, seen_bare):
    """Tried again after an abort only where the job aborts without gait too, in as many runs: seen before, or
    seen now. Else the hook may have caused it."""
    for i in range(tries):
        done = run(command, environment, cwd)
        if not aborted(done) or i + 1 == tries:
            break
        seen_bare = seen_bare or any(aborted(run(job, environment, cwd)) for _ in range(i + 1))
        if not seen_bare:
            break
        print(f"again: {command[-1]} aborts at its end without gait too")
        for run_file in glob.glob(os.path.join(cwd, "*.gait")):
            os.remove(run_file)
    return done


def check(what, got, wanted):
    if got != wanted:
        sys.exit(f"{what}: {got!r}, not {wanted!r}")


def check_run(path, case):
    db = sqlite3.connect(path)
    facts = {}
    for rank, key, value, text in db.execute("select rank, key, value, text from facts"):
        facts.setdefault(rank, {})[key] = value if value is not None and key != "record.state" else text
    ranks = sorted(r for r in facts if r is not None and r >= 0)
    check("ranks", len(ranks), case.ranks)
    for rank in ranks:
        f = facts[rank]
        check("steps", f["record.steps"], case.steps)
        check("optimizer calls", f["record.optimizer_calls"], case.steps * case.calls)
        check("backwards", f["record.backwards_per_step"], case.backwards)
        check("state", f["record.state"], case.state)
        whats = {w for w, in db.execute("select distinct what from timings where rank = ?", (rank,))}
        check("timed", set(case.has) - whats, set())
        numbers = [n for n, in db.execute("select number from timings where rank = ? and what = 'step'", (rank,))]
        check("each step once", len(set(numbers)), len(numbers))
        check("numbers of steps", min(numbers) > 4 and max(numbers) <= case.steps, True)
        steps = [n for n, in db.execute("select number from steps where rank = ? order by number", (rank,))]
        check("traced steps", steps, list(range(steps[0], steps[0] + 2)))
        check("a step is not timed and traced", set(steps) & set(numbers), set())
        rules = {r for r, in db.execute("select distinct rule from replacements where rank = ?", (rank,))}
        check("replacements", set(case.rules) - rules, set())
        notes = {text for text, in db.execute("select text from notes where rank = ?", (rank,))}
        check("notes", set(case.notes) - notes, set())
        if case.state != "complete":
            continue  # it ended before the round with stacks
        lines = [s for s, in db.execute("select line from sites where rank = ?", (rank,))]
        check("places in the hook", [s for s in lines if "gait_hook" in s], [])
        check("places in the job", any(".py(" in s for s in lines), True)


def check_phases(gait, path, case):
    """The first picture of a recorded job: its phases, which make up the untraced step."""
    done = subprocess.run([gait, "analyze", "-q", "--json", path], capture_output=True)
    check("analyze", done.returncode, 0)
    for rank in json.loads(done.stdout)["ranks"]:
        check("clock", rank["step"]["clock"], "steps without the tracer")
        phases, step = rank["phases_ms"], rank["step"]["ms"]
        check("phases add up", abs(sum(phases.values()) - step) < 1e-4 * step + 1e-5, True)
        wanted = ["forward", "backward", "optimizer"] + ["data"] * ("loader" in case.has)
        check("phases without time", [p for p in wanted if phases[p] <= 0], [])
        check("most is in the phases", sum(phases[p] for p in wanted) > 0.25 * (step - phases["other"]), True)


def one(gait, jobs, work, name):
    case = CASES[name]
    environment = dict(os.environ, OMP_NUM_THREADS="1", PYTHONDONTWRITEBYTECODE="1")
    if case.site:
        environment["PYTHONPATH"] = os.path.join(os.path.dirname(jobs), "own_site")
    job = [sys.executable, *case.launcher, os.path.join(jobs, name + ".py")]
    folder = os.path.join(work, name)
    os.mkdir(folder)
    tries = RANKS_TRIES if case.ranks > 1 else 1
    (code, out, err), bare_aborts = run_bare(job, environment, folder, tries)
    if code == 77:
        print(f"{name} skipped: {out.decode().strip()}")
        return False
    check("exit code alone", code, case.exit_code)
    command = [gait, "record", *OPTIONS, "--", *job]
    r_code, r_out, r_err = run_recorded(command, job, environment, folder, tries, bare_aborts)
    check("exit code", r_code, code)
    check("stdout", r_out, out)
    if case.says not in r_err:
        sys.exit(f"stderr does not say {case.says!r}: {r_err}")
    path = os.path.join(folder, name + ".gait")
    check("a run was written", os.path.exists(path), case.ranks > 0)
    if case.ranks:
        check_run(path, case)
        check_phases(gait, path, case)
    left = [f for f in os.listdir(environment["TMPDIR"]) if f.startswith("gait-record-")]
    check("folders left behind", left, [])
    # stderr: ours is more lines, the job's own stay in their order
    ours = [line for line in r_err.splitlines() if not line.startswith(("gait record:", "wrote ", "replaced "))]
    if not case.launcher:  # a launcher prints times
        # a job's own profiler prints such lines where KINETO_LOG_LEVEL is not set
        check("stderr of the job", ours, [s for s in err.splitlines() if not s.startswith("USDT:")])
    print(name, "ok")
    return True


def signals(gait, jobs, work):
    """SIGTERM to `gait record` alone reaches the job; its exit code comes back."""
    folder = os.path.join(work, "signals")
    os.mkdir(folder)
    command = [gait, "record", *OPTIONS, "--", sys.executable, os.path.join(jobs, "killed.py")]
    environment = dict(os.environ, OMP_NUM_THREADS="1")
    child = subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    check("ready", child.stdout.readline(), b"ready\n")
    child.send_signal(signal.SIGTERM)
    _, err = child.communicate(timeout=60)
    check("exit code", child.returncode, 7)
    if b"ended early" not in err:
        sys.exit(f"stderr: {err!r}")
    missing = subprocess.run([gait, "record", "--", "./no-such-program"], cwd=folder, capture_output=True)
    check("exit code of what cannot start", missing.returncode, 4)
    death = subprocess.run([gait, "record", "--", "sh", "-c", "kill -9 $$"], cwd=folder, capture_output=True)
    check("exit code of a death by signal", death.returncode, 128 + 9)
    print("signals ok")
    return True


def main():
    gait, jobs, work = sys.argv[1:4]
    os.environ["TMPDIR"] = work
    done = [signals(gait, jobs, work) if name == "signals" else one(gait, jobs, work, name)
            for name in sys.argv[4:] or [*CASES, "signals"]]
    sys.exit(0 if any(done) else 77)


main()
