"""A traced block of steps: torch.profiler's, with a mark around each step; and what an event costs.

The marks are called ProfilerStep#N, as torch.profiler's own, with the number that the recorder gives
the step. A block starts and stops in an optimizer's post hook.
"""
import statistics
from time import perf_counter_ns

CALIBRATION_OPS = 1000
CALIBRATION_TURNS = 3


def _profile(stacks):
    import torch.profiler as profiler

    return profiler.profile(
        activities=profiler.supported_activities(), record_shapes=True, with_stack=stacks)


class Tracer:
    def __init__(self):
        self._profile = None
        self._mark = None
        self.used = False  # was a block ever begun in this process?
        self.ours = False  # true while this module itself talks to the profiler

    def active(self):
        return self._profile is not None

    def start(self, stacks):
        self.ours = self.used = True
        try:
            profile = _profile(stacks)
            profile.start()
            self._profile = profile
        finally:
            self.ours = False

    def mark(self, number):
        """The step before ends, step `number` begins."""
        import torch.autograd.profiler as profiler

        self._end_mark()
        self._mark = profiler.record_function("ProfilerStep#%d" % number)
        self._mark.__enter__()

    def _end_mark(self):
        if self._mark is not None:
            self._mark.__exit__(None, None, None)
            self._mark = None

    def stop(self, path):
        """Ends the block and writes it to path, or drops it where path is None. Its events."""
        self._end_mark()
        profile, self._profile = self._profile, None
        self.ours = True
        try:
            profile.stop()
            if path is None:
                return []
            profile.export_chrome_trace(path)
            return profile.profiler.kineto_results.events()
        finally:
            self.ours = False

    def event_cost_ns(self):
        """What recording one operator costs now: the same small operator with and without."""
        import torch

        x = torch.zeros(4, device="cpu")  # whatever the job's default device is

        def run():
            begin = perf_counter_ns()
            for _ in range(CALIBRATION_OPS):
                x.add(x)
            return (perf_counter_ns() - begin) / CALIBRATION_OPS

        costs = []
        with torch.no_grad():
            run()
            for _ in range(CALIBRATION_TURNS):
                untraced = run()
                self.start(False)
                try:
                    traced = run()
                finally:
                    self.stop(None)
                costs.append(traced - untraced)
        return statistics.median(costs)
