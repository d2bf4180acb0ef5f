"""What tests of several parts of the hook need."""
import atexit
import contextlib
import sys

import torch
from gait_hook.measuring import bench as hook_bench
from gait_hook.recording.recorder import Recorder
from gait_hook.recording.settings import Settings
from torch import nn


class FakeRecorder:
    class result:  # noqa: N801
        rounds, notes = [], []
        note = notes.append


class Clock:
    """Stands still but for sleep(): what a busy machine does between two calls does not count."""

    def __init__(self):
        self.seconds = 1000.0
        hook_bench.monotonic, hook_bench.perf_counter_ns = self.monotonic, self.perf_counter_ns

    def monotonic(self):
        return self.seconds

    def perf_counter_ns(self):
        return round(self.seconds * 1e9)

    def sleep(self, seconds):
        self.seconds += seconds


@contextlib.contextmanager
def a_clock_that_is_set():
    kept = hook_bench.monotonic, hook_bench.perf_counter_ns
    try:
        yield Clock()
    finally:
        hook_bench.monotonic, hook_bench.perf_counter_ns = kept


def bench_of(seconds):
    FakeRecorder.result.notes.clear()
    bench = hook_bench.Bench(FakeRecorder, torch.device("cpu"))
    bench.deadline = hook_bench.monotonic() + seconds
    return bench


class Odd:
    """Raises whatever is asked."""

    def __getattr__(self, name):
        raise RuntimeError(name)


class OddModule(nn.Module):
    @property
    def training(self):
        raise RuntimeError("not told")

    @training.setter
    def training(self, value):
        pass

    def __call__(self, x):
        return super().__call__(x)

    def forward(self, x):
        return x


def recorder_in(folder, **settings):
    """One that is installed, as `gait record` would; the caller uninstalls it."""
    chosen = Settings()
    chosen.folder = folder
    chosen.__dict__.update(settings)
    recorder = Recorder(chosen, sys.modules["torch.optim.optimizer"])
    recorder.install()
    atexit.unregister(recorder._at_exit)
    return recorder


def model_and_optimizer():
    model = nn.Linear(2, 2)
    return model, torch.optim.SGD(model.parameters(), 0.1)


def take_steps(model, optimizer, n):
    for _ in range(n):
        model(torch.ones(1, 2)).sum().backward()
        optimizer.step()
