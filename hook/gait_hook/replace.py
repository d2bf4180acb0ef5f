"""Other ways to do what the job does, measured in the job, after its traced steps.

Each is measured forward and backward together, in turns with the job's own way, in the job's own
thread, on the job's own device. The random states are put back; nothing of the job is touched: all
works on copies, which are freed.

The seconds are a budget: each rule has its share of what is left, and what does not fit is a note.
"""
import contextlib
import random
import resource
import sys
import threading
import warnings
from time import monotonic, perf_counter_ns

from .contract import Replacement, Round, Step
from .free_memory import free_bytes

TURNS_MIN, TURNS_MAX = 3, 12
PAIRS_WANTED = 8  # a subject begins only where so many pairs, as long as the first, fit the budget
SUBJECTS_MAX = 8  # of a rule
OVER = "the seconds of --replacements were over"


class Skipped(Exception):
    """Why a replacement is not measured, for the notes; an empty text: there is nothing to say."""


class Bench:
    """What the measurements share: the deadline, the device, and the rows so far."""

    def __init__(self, recorder, device):
        self.device = device
        self.note = recorder.result.note
        self.rows = []
        self.deadline = 0.0
        self.backwards = _backwards_per_step(recorder.result.rounds)

    def sync(self):
        if self.device.type != "cpu":
            import torch

            torch.accelerator.synchronize()

    def is_over(self):
        return monotonic() > self.deadline

    def each(self, rule, subjects, measure):
        """measure(*subject) for each, as far as the budget goes; the rest is noted."""
        subjects = list(subjects)
        for i, subject in enumerate(subjects):
            over = self.is_over()
            if over or i >= SUBJECTS_MAX:
                self.note("%s: %d of %d subjects were not measured: %s" % (
                    rule, len(subjects) - i, len(subjects),
                    OVER if over else "%d are the most" % SUBJECTS_MAX))
                return
            try:
                measure(*subject)
            except Skipped as why:
                self.skipped(rule, why)

    def skipped(self, rule, why):
        if str(why):
            self.note("%s: not measured: %s" % (rule, why))

    def alternate(self, rule, subject, how, now, instead, per_step=1.0):
        """now() and instead() in turns, the first turn not counted. Rows are for a step."""
        def row(turn, now_ns, instead_ns):
            return {Replacement.RULE: rule, Replacement.SUBJECT: subject, Replacement.HOW: how, Replacement.ROUND: turn,
                    Replacement.NOW_NS: round(now_ns * per_step), Replacement.INSTEAD_NS: round(instead_ns * per_step)}

        first = self._first_pair(how, now, instead)
        why_not = self._why_no_more(how, sum(first))
        if why_not and first[1] <= first[0]:
            raise Skipped(why_not)
        if why_not:  # a gain that is computed elsewhere must not stand against this
            self.rows.append(row(0, *first))
            self.note("%s: one pair was kept, in which the other way took longer: %s" % (rule, why_not))
            return
        rows = []
        for turn in range(TURNS_MAX):
            if self.is_over():
                break
            pair = [now, instead] if turn % 2 else [instead, now]
            ns = [self._time(call) for call in pair]
            if pair[0] is instead:
                ns.reverse()
            rows.append(row(turn, *ns))
        if len(rows) < TURNS_MIN:
            raise Skipped("%s: %s" % (how, OVER))
        self.rows += rows

    def _first_pair(self, how, now, instead):
        """One pair that is not counted where others follow, and that says how long they will take."""
        if self.is_over():
            raise Skipped("%s: %s" % (how, OVER))
        return self._time(now), self._time(instead)

    def _why_no_more(self, how, first_ns):
        """Empty where enough pairs as long as the first fit the budget."""
        left = max(0.0, self.deadline - monotonic())
        if PAIRS_WANTED * first_ns / 1e9 <= left:
            return ""
        return ("%s: both ways once take %.3g s, and %.3g s are left for %d times: more with --replacements"
                % (how, first_ns / 1e9, left, PAIRS_WANTED))

    def _time(self, call):
        self.sync()
        begin = perf_counter_ns()
        call()
        self.sync()
        return perf_counter_ns() - begin

    def need_memory(self, n_bytes):
        need_memory(self.device, n_bytes)


def need_memory(device, n_bytes):
    """Skipped where copies of that size, twice over, would not fit beside the job."""
    free = free_bytes(device)
    if 2 * n_bytes > free:
        raise Skipped("it needs about %d MiB, and %d MiB are free" % (2 * n_bytes >> 20, free >> 20))


def sharded(parameters):
    """Has one of them parts on other ranks? What is computed with it may wait for them."""
    return any(type(p).__name__ == "DTensor" for p in parameters)


def most_memory_held():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _backwards_per_step(rounds):
    counts = sorted(step[Step.BACKWARDS] for r in rounds for step in r[Round.UNTRACED])
    return max(1, counts[len(counts) // 2]) if counts else 1


class RandomStates:
    """Takes every generator's state that a measurement could move, and puts it back."""

    def __enter__(self):
        import torch

        self.python = random.getstate()
        numpy = sys.modules.get("numpy")
        self.numpy = numpy.random.get_state() if numpy and hasattr(numpy, "random") else None
        self.cpu = torch.get_rng_state()
        self.cuda = torch.cuda.get_rng_state_all() if torch.cuda.is_initialized() else None

    def __exit__(self, *exc):
        import torch

        random.setstate(self.python)
        if self.numpy is not None:
            sys.modules["numpy"].random.set_state(self.numpy)
        torch.set_rng_state(self.cpu)
        if self.cuda is not None:
            torch.cuda.set_rng_state_all(self.cuda)


def _measurements(recorder, bench):
    """(rule, a function that measures it), in the order of what they cost."""
    from . import (replace_attention, replace_batch, replace_chain, replace_linear, replace_optimizer, replace_precision,
                   replace_settings, replace_threads)
    from .traced_ops import TracedOps

    ops = TracedOps(recorder.events or [])
    return (
        ("optimizer-unfused", lambda: replace_optimizer.measure(bench, recorder)),
        ("attention-unfused", lambda: replace_attention.measure(bench, ops)),
        ("qkv-unfused", lambda: replace_linear.measure(bench, ops)),
        ("elementwise-chain", lambda: replace_chain.measure(bench, recorder.chains)),
        ("process-settings", lambda: replace_settings.measure(bench, recorder)),
        ("threads", lambda: replace_threads.measure(bench, recorder)),
        ("precision-f32", lambda: replace_precision.measure(bench, recorder)),
        ("batch-small", lambda: replace_batch.measure(bench, recorder)),
    )


@contextlib.contextmanager
def warnings_unseen():
    """What the copies warn of is not the job's. The filters stay as they are: a change of them, as in
    warnings.catch_warnings, forgets which warnings were shown, and the job's own would be shown again."""
    shown = warnings.showwarning
    warnings.showwarning = lambda *args, **kwargs: None
    try:
        yield
    finally:
        warnings.showwarning = shown


class Unheard:
    """A stream that takes what one thread writes for nothing; other threads are the job's own and are heard."""

    def __init__(self, stream):
        self._stream, self._thread = stream, threading.get_ident()

    def write(self, text):
        return len(text) if threading.get_ident() == self._thread else self._stream.write(text)

    def __getattr__(self, name):
        return getattr(self._stream, name)


@contextlib.contextmanager
def prints_unheard():
    """A model or an optimizer that prints does so in its copy too."""
    job_out, job_err = sys.stdout, sys.stderr
    own_out, own_err = Unheard(job_out), Unheard(job_err)
    sys.stdout, sys.stderr = own_out, own_err
    try:
        yield
    finally:
        if sys.stdout is own_out:
            sys.stdout = job_out
        if sys.stderr is own_err:
            sys.stderr = job_err


def measure(recorder):
    import torch

    if recorder.result.device is None:
        return
    bench = Bench(recorder, recorder.result.device)
    end = monotonic() + recorder.settings.replacements
    with RandomStates(), torch.enable_grad(), warnings_unseen(), prints_unheard():
        todo = _measurements(recorder, bench)
        for i, (rule, call) in enumerate(todo):
            bench.deadline = monotonic() + max(0.0, end - monotonic()) / (len(todo) - i)
            _one(recorder, bench, rule, call)
    recorder.result.replacements = bench.rows


def _one(recorder, bench, rule, call):
    rows = len(bench.rows)
    try:
        call()
    except Skipped as why:
        bench.skipped(rule, why)
    except Exception as e:
        del bench.rows[rows:]
        recorder.result.note("%s: not measured: %s: %s" % (rule, type(e).__name__, str(e)[:200]))
