"""Two ways of one thing, timed in turns within a budget."""
import resource
from time import monotonic, perf_counter_ns

from ..beside import Skipped, need_memory
from ..contract import Replacement, Round, Step

TURNS_MIN, TURNS_MAX = 3, 12
PAIRS_WANTED = 8  # a subject begins only where so many pairs, as long as the first, fit the budget
SUBJECTS_MAX = 8  # of a rule
OVER = "the seconds of --replacements were over"


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


def sharded(parameters):
    """Has one of them parts on other ranks? What is computed with it may wait for them."""
    return any(type(p).__name__ == "DTensor" for p in parameters)


def most_memory_held():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _backwards_per_step(rounds):
    counts = sorted(step[Step.BACKWARDS] for r in rounds for step in r[Round.UNTRACED])
    return max(1, counts[len(counts) // 2]) if counts else 1
