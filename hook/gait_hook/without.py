"""The job's own steps with and without needless calls, in turns: what leaving them out gains, measured.

Which calls these are, `gait record` says while the job runs (docs/record.md): the hook writes the number of its process into
a pipe, and reads the answer. Both kinds of steps run under one dispatch mode, so that what the mode costs is in both; what handing
out results costs is timed and taken off.
"""
import os
import threading
from time import monotonic, sleep

from .contract import Replacement
from .free_memory import free_bytes
from .left_out import LeftOut, Planned

ANSWER_PATIENCE_S = 10
CHECKED_STEPS = 2
PAIRS_MOST, PAIRS_LEAST = 60, 5
SECONDS_FRAC = 2  # of those of --replacements: these are steps of the job, not steps beside it
LEAST_FRAC = 0.01  # of a step that the calls of a class must take
FAILED_FRAC = MISSED_FRAC = 0.05  # of the calls of a class that need not be as planned
UNLIKE_MOST = 20  # steps that are not as planned, or do more than others, before it is given up
HOW = "results that are there in their place"
DIFFER = "%s: not run without: some results were not what was there"
TOO_LARGE = "not run without needless calls: it needs about %d MiB, and %d MiB are free"
UNLIKE = "not run without needless calls any more: the steps differ"
NO_ANSWER = "not run without needless calls: no answer of gait record in %d s" % ANSWER_PATIENCE_S
FAILED = "not run without needless calls: %s: %s"


def ask(result):
    """{number of a call: Planned}; empty where nobody answers."""
    try:
        pipe = os.open(os.path.join(result.folder, "plans"), os.O_WRONLY | os.O_NONBLOCK)
    except OSError:
        return {}  # nobody reads it
    try:
        os.write(pipe, b"%d\n" % result.pid)
    finally:
        os.close(pipe)
    path = os.path.join(result.folder, "plan-%d.txt" % result.pid)
    patience = monotonic() + ANSWER_PATIENCE_S
    while not os.path.exists(path):
        if monotonic() > patience:
            result.note(NO_ANSWER)
            return {}
        sleep(0.01)
    with open(path) as f:
        rows = (line.split() for line in f)
        return {int(number): Planned(int(source), int(n_bytes), of) for number, source, n_bytes, of in rows}


class Without:
    """install() and then step_ended() at the end of each step, until that says that it is over. None of these raises."""

    def __init__(self, result, sequence, plan, seconds, step_ns):
        self._result, self._step_ns = result, step_ns
        self._calls = LeftOut(sequence, plan)
        self._seconds = SECONDS_FRAC * seconds
        self._thread = threading.get_ident()
        self._mode = None
        self._checked = self._unlike = self._turn = 0
        self._classes = []
        self._plain_ns = None  # of the step before, where it was one with all calls
        self._pairs = {}

    def install(self):
        """Is there something to be run without?"""
        try:
            free = free_bytes(self._result.device)
            if not self._calls.planned:
                return False
            if 4 * self._calls.n_bytes() > free:
                self._result.note(TOO_LARGE % (4 * self._calls.n_bytes() >> 20, free >> 20))
                return False
            self._deadline = monotonic() + self._seconds
            self._mode = _mode(self._calls, self._thread)
            self._begin(None, True)
            return True
        except Exception as e:
            return self._failed(e)

    def step_ended(self, ns, is_rare):
        """Does it go on?"""
        try:
            if not self._leave():
                return False
            self._calls.end_step()
            if self._calls.error is not None:
                return self._failed(self._calls.error)
            if is_rare or not self._calls.is_whole():
                return self._see_unlike()
            if self._checked < CHECKED_STEPS:
                return self._see_checked()
            self._see_turn(ns)
            return self._next_turn()
        except Exception as e:
            return self._failed(e)

    def remove(self):
        """Is all gone?"""
        try:
            gone = self._leave()
        except Exception:
            gone = False
        self._calls = None
        return gone

    # -- one step after the other

    def _see_unlike(self):
        self._unlike += 1
        self._plain_ns = None
        if self._unlike > UNLIKE_MOST:
            self._result.note(UNLIKE)
            return False
        if self._checked < CHECKED_STEPS:
            self._begin(None, True)
            return True
        self._turn += self._turn % 2  # a pair begins anew
        return self._next_turn()

    def _see_checked(self):
        self._checked += 1
        if self._checked < CHECKED_STEPS:
            self._begin(None, True)
            return True
        for of in self._calls.classes():
            took = self._calls.took.get(of, 0)
            if took < LEAST_FRAC * CHECKED_STEPS * self._step_ns:
                continue
            if self._calls.failed.get(of, 0) > FAILED_FRAC * took:
                self._result.note(DIFFER % of)
            else:
                self._classes.append(of)
        return self._next_turn() if self._classes else False

    def _see_turn(self, ns):
        """Turns with all calls and turns without those of one class."""
        of = self._kind(self._turn)
        self._turn += 1
        if of is None:
            self._plain_ns = ns
            return
        calls, plain_ns, self._plain_ns = self._calls, self._plain_ns, None
        if calls.missed > MISSED_FRAC * (calls.missed + calls.left):
            self._unlike += 1
        elif plain_ns is not None:
            self._keep_pair(of, plain_ns, ns - calls.spent, calls.left)

    def _keep_pair(self, of, now_ns, instead_ns, n):
        pairs = self._pairs[of] = self._pairs.get(of, 0) + 1
        self._result.replacements.append({
            Replacement.RULE: of, Replacement.SUBJECT: "%d calls" % n, Replacement.HOW: HOW, Replacement.ROUND: pairs,
            Replacement.NOW_NS: now_ns, Replacement.INSTEAD_NS: instead_ns})

    def _kind(self, turn):
        return self._classes[turn // 2 % len(self._classes)] if turn % 2 else None

    def _next_turn(self):
        least = min((self._pairs.get(of, 0) for of in self._classes), default=0)
        late = monotonic() > self._deadline
        if least >= PAIRS_MOST or late and (least >= PAIRS_LEAST or self._turn == 0) or self._unlike > UNLIKE_MOST:
            return False
        self._begin(self._kind(self._turn), False)
        return True

    # -- the mode; our own calls at the end of a step are not the job's

    def _begin(self, without, checks):
        self._calls.begin(without, checks)
        self._mode.calls = self._calls
        self._mode.__enter__()
        self._inside = True

    def _leave(self):
        """Is the mode out of its place?"""
        import torch

        if self._mode is None or not self._inside:
            return True
        self._mode.calls = None
        depth = torch._C._len_torch_dispatch_stack()
        if not depth or torch._C._get_dispatch_stack_at(depth - 1) is not self._mode:
            return False
        self._inside = False
        self._mode.__exit__(None, None, None)
        return True

    def _failed(self, error):
        self._result.note(FAILED % (type(error).__name__, str(error)[:200]))
        return False


def _mode(calls, thread):
    from torch.utils._python_dispatch import TorchDispatchMode

    class LeaveOut(TorchDispatchMode):
        supports_higher_order_operators = True  # else they raise

        @classmethod
        def _should_skip_dynamo(cls):
            return False  # it would import torch._dynamo into the job

        def __torch_dispatch__(self, function, types, args=(), kwargs=None):
            calls = self.calls
            if calls is None or threading.get_ident() != thread:
                return function(*args, **(kwargs or {}))
            return calls.call(function, args, kwargs or {})

    mode = LeaveOut()
    mode.calls = calls
    return mode
