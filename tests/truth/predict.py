"""What Gait says about a job: recorded, analysed, and read into Findings. The one place that knows the fields of its JSON."""
import contextlib
import dataclasses
import glob
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile

from alternate import job_command
from cases import HERE

ROOT = os.path.dirname(os.path.dirname(HERE))
GAIT = os.path.abspath(os.environ.get("GAIT") or os.path.join(ROOT, "build", "gait"))
ROWS = ("prediction", "bare")  # what predict() gives
RECORDED_STEPS = 300  # six of the intervals that the interval cases have after their fix
PATIENCE_S = 900
RANKS_PATIENCE_S = 450  # a recording of ranks that hang is ended and begun again
MOST_LINES = 8  # kept of a finding
GRACE_S = 40  # from being asked to end to being ended: torchrun gives its ranks 30 s


class NoPrediction(Exception):
    """The text says why, and what to do."""


class TookTooLong(NoPrediction):
    """The command was ended, with all that it had started."""


@dataclasses.dataclass(frozen=True)
class Finding:
    """A cause and its price: the step time after the fix over that before, for equal work (a larger batch: of a sample)."""

    rule: str
    ratio: float  # None where Gait names a cause without a price of the step or of a sample
    low: float
    high: float
    how: str  # "replayed", "measured", "waits", "interval", "run" or "modelled"
    lines: tuple = ()  # ("file.py:12", function) of the job's statements, what holds most first; none in rows of before they were kept


PRICE = ("ratio", "ratio_low", "ratio_high", "kind")


def kept(findings):
    """Of the list "findings" of `gait analyze --json` what is stored: rule, price and lines, in its order."""
    try:
        return [{"rule": f["rule"], "price": f["price"] and {field: f["price"][field] for field in PRICE},
                 "lines": [(f"{os.path.basename(at['file'])}:{at['line']}", at["function"]) for at in f["lines"][:MOST_LINES]]}
                for f in findings]
    except (KeyError, TypeError, AttributeError) as problem:
        raise NoPrediction(f"findings have other fields than tests/truth/predict.py reads: {problem!r}") from problem


def findings_of(stored):
    """What kept() gave, as Findings: the first is the one to fix first."""
    return [Finding(f["rule"], *((f["price"] or {"kind": "-"}).get(field) for field in PRICE), tuple(map(tuple, f.get("lines", ()))))
            for f in stored]


def end_group(child):
    """The command and what it started: asked first, for torchrun's ranks are in sessions of their own, which it ends itself."""
    for signal_number in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal_number)
        try:
            child.communicate(timeout=GRACE_S)
            return
        except subprocess.TimeoutExpired:
            pass


def run(command, patience_s=PATIENCE_S):
    """stdout of the command."""
    try:
        child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace",
                                 start_new_session=True)
    except OSError as problem:
        raise NoPrediction(f"{command[0]}: {problem.strerror}; build it first: make") from problem
    try:
        out, said = child.communicate(timeout=patience_s)
    except subprocess.TimeoutExpired as problem:
        raise TookTooLong(f"gait {command[1]} took over {patience_s} s") from problem
    finally:
        if child.returncode is None:  # also where this program is interrupted
            end_group(child)
    if child.returncode != 0:
        words = (said.strip() or "nothing on stderr").splitlines()[-1]
        raise NoPrediction(f"gait {command[1]}: exit {child.returncode}: {words}")
    return out


def available():
    """"" if predictions can be asked for, else why not."""
    try:
        run([GAIT, "help", "record"])
    except NoPrediction:
        return "gait record is not available"
    return ""


def record(case, path, traces, options=()):
    """The slow job recorded into path, the traces of all rounds kept in a new folder; options are of `gait record`. gloo's ranks
    abort at their end or hang now and then, also without `gait record`: they are begun again, after a hang once."""
    job = job_command(case.slow, RECORDED_STEPS)
    if case.processes > 1:
        job = [sys.executable, "-m", "torch.distributed.run", "--standalone",
               "--nproc-per-node", str(case.processes), *job[1:]]
    tries_left, patience_s = (2, RANKS_PATIENCE_S) if case.processes > 1 else (0, PATIENCE_S)
    while True:
        try:
            return run([GAIT, "record", "-o", path, "--traces", traces, *options, "--", *job], patience_s)
        except NoPrediction as why:
            if not tries_left:
                raise
            tries_left = 0 if isinstance(why, TookTooLong) else tries_left - 1
            shutil.rmtree(traces, ignore_errors=True)
            if os.path.exists(path):
                os.remove(path)


def predictor():
    """A digest of what predicts: the program and the recorder's hook."""
    h = hashlib.sha256()
    hook = os.path.join(ROOT, "hook")
    files = [GAIT] + sorted(os.path.join(folder, name) for folder, _, names in os.walk(hook) for name in names
                            if name.endswith(".py"))
    for path in files:
        with open(path, "rb") as file:
            h.update(file.read())
    return h.hexdigest()[:16]


def commit():
    """Of the sources here; with + where they were changed since."""
    def git(*words):
        return subprocess.run(["git", "-C", ROOT, *words], capture_output=True, text=True, check=False).stdout.strip()

    return (git("rev-parse", "--short", "HEAD") or "unknown") + ("+" if git("status", "--porcelain", "--", "src", "hook") else "")


def analysis(*paths):
    """What `gait analyze --json` says, with the fields that are read."""
    try:
        said = json.loads(run([GAIT, "analyze", "--json", *paths]))
        kept(said["findings"])
    except (ValueError, KeyError, TypeError) as problem:
        raise NoPrediction(f"gait analyze --json {paths[0]}: no findings in it: {problem!r}") from problem
    return said


def price_beside_steps(said):
    """The findings of an analysis; a gain beside the steps, which has no ratio, gets that of a step with what is beside it."""
    try:
        step_ms = said["ranks"][0]["step"]["ms"]
        for finding in said["findings"]:
            price = finding["price"]
            if price and price["apart"] and price["samples"] is None:
                price["ratio"] = 1 - price["gain_ms"] / (step_ms + finding["holds_ms"])
    except (KeyError, TypeError, IndexError) as problem:
        raise NoPrediction(f"an analysis has other fields than tests/truth/predict.py reads: {problem!r}") from problem
    return said["findings"]


def bare_traces(case, traces):
    """Of each process the trace of its first round, which has no stacks."""
    first = sorted(glob.glob(os.path.join(glob.escape(traces), "trace-*-0.json")))
    if len(first) != case.processes:
        raise NoPrediction(f"{len(first)} traces of the first round, not {case.processes}")
    return first


def predict_again(path):
    """The findings of a recording that is there."""
    return kept(analysis(path)["findings"])


def predict(case, path):
    """Records the slow job into path. Then, one after the other, ("prediction", findings) of the run and ("bare", findings) of
    its bare trace: without timings and replacements."""
    with tempfile.TemporaryDirectory(dir=os.path.dirname(path)) as folder:
        traces = os.path.join(folder, "traces")
        record(case, path, traces)
        yield ROWS[0], predict_again(path)
        yield ROWS[1], kept(analysis(*bare_traces(case, traces))["findings"])
