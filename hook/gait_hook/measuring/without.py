"""The job's own steps with and without needless calls, in turns: what leaving them out gains, measured.

Which calls these are, `gait record` says while the job runs (docs/record.md): the hook writes the number of its process into
a pipe, and reads the answer. Both kinds of steps run under one dispatch mode, so that what the mode costs is in both; what is
done for this alone is timed and taken off.
"""
import os
import signal
import statistics
import threading
from time import monotonic, perf_counter_ns, sleep

from ..contract import Replacement
from ..free_memory import free_bytes
from ..observing.dispatch_mode import DispatchMode
from ..observing.flow import why_not
from .left_out import ALL, CHECKED_STEPS, LeftOut, Planned

ANSWER_PATIENCE_S = 10
PAIRS_MOST = 60
SECONDS_FRAC = 2  # of those of --replacements: these are steps of the job, not steps beside it
LEAST_FRAC = 0.01  # of a step that the calls of a class must take
FAILED_FRAC = MISSED_FRAC = 0.05  # of the calls of a class that need not be as planned
UNLIKE_MOST = 20  # steps that are not as planned, or do more than others, beyond the pairs that were kept: it is given up
HOW = "results that are there in their place"
DIFFER = "%s: not run without: some results were not what was there"
TOO_LARGE = "not run without needless calls: it needs about %d MiB, and %d MiB are free"
UNLIKE = "not run without needless calls any more: the steps differ"
NO_ANSWER = "not run without needless calls: no answer of gait record in %d s" % ANSWER_PATIENCE_S
FAILED = "not run without needless calls: %s: %s"


def ask(result):
    """{number of a call: Planned}; empty where nobody answers. Never raises."""
    path = os.path.join(result.folder, "plan-%d.txt" % result.pid)
    try:
        if os.path.exists(path):  # of a recording that began anew
            os.remove(path)
        _send(os.path.join(result.folder, "plans"), b"%-16d" % result.pid)
        patience = monotonic() + ANSWER_PATIENCE_S
        while not os.path.exists(path):
            if monotonic() > patience:
                result.note(NO_ANSWER)
                return {}
            sleep(0.01)
        with open(path) as f:
            rows = (line.split() for line in f)
            return {int(number): Planned(int(source), int(n_bytes), of) for number, source, n_bytes, of in rows}
    except Exception:  # nobody reads the pipe, or the disk is full
        return {}


def _send(path, message):
    """Where the reader goes meanwhile, a job that does not ignore SIGPIPE would end."""
    pipe = os.open(path, os.O_WRONLY | os.O_NONBLOCK)
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGPIPE})
    try:
        os.write(pipe, message)
    except BrokenPipeError:
        signal.sigtimedwait({signal.SIGPIPE}, 0)
        raise
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        os.close(pipe)


def _call_cost_ns():
    """What a call takes longer from Python's side of a dispatch mode: that goes too where a call is left out, and the job has no
    such cost."""
    import torch

    x = torch.zeros(1)
    times = {call: [] for call in (torch.ops.aten.add.Tensor, torch.add)}
    for _ in range(200):
        for call, ns in times.items():
            begin = perf_counter_ns()
            call(x, x)
            ns.append(perf_counter_ns() - begin)
    through_mode, own = map(statistics.median_low, times.values())
    return max(0, through_mode - own)


class Without:
    """install() and then step_ended() at the end of each step, until that says that it is over. None of these raises."""

    def __init__(self, result, sequence, plan, seconds, step_ns):
        self._result, self._step_ns = result, step_ns
        self._calls = LeftOut(sequence, plan)
        self._seconds = SECONDS_FRAC * seconds
        self._thread = threading.get_ident()
        self._mode = DispatchMode()
        self._checked = self._unlike = 0
        self._classes = []
        self._pair = 0
        self._halves = []  # (ns, calls that were left out) of the steps of this pair so far

    def install(self):
        """Is there something to be run without?"""
        try:
            free = free_bytes(self._result.device)
            if not self._calls.planned:
                return False
            if 4 * self._calls.n_bytes() > free:
                self._result.note(TOO_LARGE % (4 * self._calls.n_bytes() >> 20, free >> 20))
                return False
            self._call_cost_ns = _call_cost_ns()
            self._deadline = monotonic() + self._seconds
            return self._check()
        except Exception as e:
            return self._failed(e)

    def step_ended(self, ns, is_rare):
        """Does it go on?"""
        try:
            if not self._mode.leave():
                return False
            calls = self._calls
            ns += calls.left * self._call_cost_ns - calls.spent
            calls.end_step()
            if calls.error is not None:
                return self._failed(calls.error)
            if is_rare or not calls.is_whole() or calls.missed_ns > MISSED_FRAC * (calls.missed_ns + calls.left_ns):
                return self._see_unlike()
            if self._checked <= CHECKED_STEPS:
                return self._see_checked()
            self._see_half(max(0, ns), calls.left)
            return self._go_on()
        except Exception as e:
            return self._failed(e)

    def remove(self):
        """Is all gone?"""
        try:
            gone = self._mode.leave()
            self._calls.release()
        except Exception:
            gone = False
        return gone

    # -- one step after the other

    def _see_unlike(self):
        self._unlike += 1
        self._halves = []  # the pair begins anew
        if self._unlike > UNLIKE_MOST + self._pair:
            self._result.note(UNLIKE)
            return False
        return self._check() if self._checked <= CHECKED_STEPS else self._go_on()

    def _check(self):
        """Steps with all calls, compared; then one without any of them, to see how that goes."""
        return self._begin(None, True) if self._checked < CHECKED_STEPS else self._begin(ALL, False)

    def _see_checked(self):
        self._checked += 1
        if self._checked <= CHECKED_STEPS:
            return self._check()
        for of in sorted(self._calls.took):
            took = self._calls.took[of]
            if took < LEAST_FRAC * CHECKED_STEPS * self._step_ns:
                continue
            if self._calls.failed.get(of, 0) > FAILED_FRAC * took:
                self._result.note(DIFFER % of)
            else:
                self._classes.append(of)
        return bool(self._classes) and self._go_on()

    def _kinds(self):
        """Of the two steps of this pair: with all calls, and without those of a class. Which comes first changes: jobs may have a
        period of two steps."""
        of = self._classes[self._pair % len(self._classes)]
        return (of, None) if self._pair // len(self._classes) % 2 else (None, of)

    def _see_half(self, ns, left):
        self._halves.append((ns, left))
        if len(self._halves) < 2:
            return
        (of, (instead_ns, n)), (_, (now_ns, _)) = sorted(zip(self._kinds(), self._halves), key=lambda half: half[0] is None)
        self._result.replacements.append({
            Replacement.RULE: of, Replacement.SUBJECT: "%d calls" % n, Replacement.HOW: HOW,
            Replacement.ROUND: self._pair // len(self._classes), Replacement.NOW_NS: now_ns, Replacement.INSTEAD_NS: instead_ns})
        self._pair += 1
        self._halves = []

    def _go_on(self):
        rounds = self._pair // len(self._classes)
        if rounds >= PAIRS_MOST or monotonic() > self._deadline:
            return False
        return self._begin(self._kinds()[len(self._halves)], False)

    # -- the mode; our own calls at the end of a step are not the job's

    def _begin(self, without, checks):
        """False where the job has begun to compile, or has a mode of its own."""
        if why_not():
            return False
        self._calls.begin(without, checks)
        self._mode.enter(self._call)
        return True

    def _call(self, function, args, kwargs):
        if threading.get_ident() != self._thread:
            return function(*args, **kwargs)
        return self._calls.call(function, args, kwargs)

    def _failed(self, error):
        self._result.note(FAILED % (type(error).__name__, str(error)[:200]))
        return False
