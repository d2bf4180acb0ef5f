"""Where the host's time goes, statement by statement: every 2 ms a thread of ours reads where the thread that trains is, in steps
without the tracer.

Readings are due at times of their own. One that comes late, because the other thread did not give way (a long call of NumPy's),
counts for all that were due meanwhile. Our thread is none of threading's: the job's lists of threads do not have it, and what the
job sets for new threads (a trace function, a hook for exceptions) is not called in it.
"""
import _thread
import gc
import operator
import random
import sys
from collections import deque
from functools import partial
from itertools import accumulate, chain, compress, repeat, takewhile
from time import perf_counter, sleep

from .flow_lines import Lines, stack_of

PERIOD_S = 0.002
JITTER = 0.25  # of a period, either way: what the job does at intervals of its own must not fall in step with it
SWITCH_S = 0.0005  # a thread that runs Python gives way after so long; by default 5 ms, more than a period
PATIENCE_S = 60  # without a step's end: the job is doing something else
STEPS, STEPS_MOST = 10, 40
ENOUGH = 300  # readings: a statement with a tenth of the time then has 30, give or take 5
SECONDS_MOST = 5


def frames_of(thread):
    """The stack of another thread, read without giving way to it: else its frames may be gone before all of them are objects, and
    from Python 3.11 on the interpreter then follows pointers to nowhere. Nothing in the one statement below is bytecode, after
    which threads give way; nor is garbage collected meanwhile, which would run bytecode. What the job has set for that stays."""
    if not hasattr(operator, "call"):  # before 3.11 frames are objects
        return stack_of(sys._current_frames().get(thread))
    innermost = map(operator.methodcaller("get", thread), map(operator.call, (sys._current_frames,)))
    stack = takewhile(partial(operator.is_not, None), accumulate(chain(innermost, repeat("f_back")), getattr))
    was_on = []
    note = partial(deque, map(was_on.append, map(operator.call, (gc.isenabled,))), 0)
    restore = partial(deque, map(operator.call, compress((gc.enable,), was_on)), 0)
    return [*map(operator.call, (note, gc.disable, partial(list, stack), restore))][2]


class Samples:
    """What was read in complete steps."""

    def __init__(self):
        self.lines = Lines()
        self.counts = {}  # (the job's own statement, the innermost outside torch: rows of lines; part of the step) → readings
        self.steps = self.ns = 0
        self.asks_python = 0  # readings in which a mode was asked, or the operator called by it ran

    def add_step(self, counts, asks_python, ns):
        for key, n in counts.items():
            self.counts[key] = self.counts.get(key, 0) + n
        self.asks_python += asks_python
        self.steps += 1
        self.ns += ns

    def python_frac(self):
        """Part of the readings under a dispatch mode. How much of that is Python they do not tell: a reading waits until Python gives
        way, which it does in the operators."""
        return self.asks_python / max(1, sum(self.counts.values()))

    def are_enough(self):
        return self.steps >= STEPS_MOST or self.steps >= STEPS and sum(self.counts.values()) >= ENOUGH


class Sampler:
    def __init__(self, thread):
        """thread: the ident of the one that trains."""
        self.samples = Samples()
        self._thread = thread
        self._counts, self._asks_python = {}, 0  # of the step that is under way
        self._reading = _thread.allocate_lock()
        self._on = False
        self._begun = self._step_begun = 0.0
        self._intervals = None  # (the job's switch interval, ours)

    def start(self):
        self._begun = self._step_begun = perf_counter()
        kept = sys.getswitchinterval()
        if kept > SWITCH_S:
            sys.setswitchinterval(SWITCH_S)
            self._intervals = kept, sys.getswitchinterval()
        self._on = True
        _thread.start_new_thread(self._run, ())

    def step_ended(self, ns):
        """ns: how long it took; None: it does not count."""
        with self._reading:
            counts, self._counts = self._counts, {}
            asks_python, self._asks_python = self._asks_python, 0
        self._step_begun = perf_counter()
        if self._on and ns is not None:
            self.samples.add_step(counts, asks_python, ns)

    def is_over(self):
        late = self.samples.steps and perf_counter() - self._begun > SECONDS_MOST
        return bool(not self._on or late or self.samples.are_enough())

    def stop(self):
        """Waits for nothing: in a forked child the thread is not there, and its lock may be held."""
        self._on = False
        (kept, ours), self._intervals = self._intervals or (None, None), None
        if kept is not None and sys.getswitchinterval() == ours:  # else the job has set it meanwhile
            sys.setswitchinterval(kept)

    def finish(self):
        """Afterwards nobody else is at the lines."""
        self.stop()
        with self._reading:
            pass

    def _run(self):
        try:
            self._read_on()
        except Exception:  # the interpreter is half gone
            pass
        self._on = False

    def _read_on(self):
        draw = random.Random(1).uniform  # the job's own generator stays as it is
        due = perf_counter()
        while self._on and perf_counter() - self._step_begun < PATIENCE_S:
            times = 0
            while due <= perf_counter():
                due += PERIOD_S * draw(1 - JITTER, 1 + JITTER)
                times += 1
            if times:
                self._read(times)
            sleep(max(0.0, due - perf_counter()))
        self.stop()

    def _read(self, times):
        """In a function of its own: a frame that is held longer holds the job's tensors."""
        with self._reading:
            if self._on:
                key = self.samples.lines.find(frames_of(self._thread))[:3]
                self._counts[key] = self._counts.get(key, 0) + times
                self._asks_python += times if self.samples.lines.asks_python else 0
