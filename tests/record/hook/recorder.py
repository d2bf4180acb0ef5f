"""The recorder as a whole: it goes on, raises nothing, holds nothing, and traces the same steps in all ranks."""
import gc
import os
import sys
import tempfile
import threading
import weakref
from time import sleep

import torch
from gait_hook.observing.capture import Capture
from gait_hook.observing.chains import Chains
from gait_hook.recording.recorder import NO_STACKS, RANKS_GO_ON
from gait_hook.recording.timers import Timers
from torch import nn

from shared import Odd, OddModule, model_and_optimizer, recorder_in, take_steps


def the_overhead_bench_runs():
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(sys.argv[1])), "bench"))
    import record_overhead

    with tempfile.TemporaryDirectory() as folder:
        hooks, job = record_overhead.Hooks(folder), record_overhead.EmptyJob(nn.Linear(1, 1))
        try:
            ratios, alone = record_overhead.pairs(hooks, job, 1, 1)
            assert len(ratios) == len(alone) == 1 and alone[0] > 0
            assert hooks.recorder.cycle.calls == record_overhead.SETTLE + 1, hooks.recorder.cycle.calls
        finally:
            hooks.recorder._uninstall()


def without_its_folder_the_job_goes_on():
    """Its own profiler, its steps and a fork work although nothing can be written."""
    for first in ("profiler", "steps"):
        with tempfile.TemporaryDirectory() as folder:
            recorder = recorder_in(folder, warmup=0, untraced=1, traced=1, rounds=1, replacements=0)
            job = model_and_optimizer()
            take_steps(*job, 1)
        if first == "profiler":
            with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]):
                take_steps(*job, 1)
            assert recorder.result.state == "job profiles itself", recorder.result.state
        else:
            take_steps(*job, 12)
            assert recorder.result.state == "failed", recorder.result.state
        recorder._at_exit()
        recorder._forget_in_child()
        assert torch.autograd.backward.__name__ == "backward" and not hasattr(torch.save, "__wrapped__")


def what_is_odd_of_the_job_raises_nothing():
    timers = Timers()
    timers._undo["loader"] = None
    timers._thread = threading.get_ident()
    timed = timers._timed_next("loader", lambda iterator: 5)
    assert timed(Odd()) == 5 and timers.take()[1]["loader"] == 1
    capture = Capture([model_and_optimizer()[1]])
    capture.install()
    try:
        assert OddModule()(3) == 3
    finally:
        capture.remove()


def nothing_of_the_job_is_held():
    """Training in folds: each has a model, an optimizer and a loader of its own, and frees them."""
    with tempfile.TemporaryDirectory() as folder:
        recorder = recorder_in(folder, warmup=10 ** 6)
        try:
            gone = []
            for _ in range(3):
                job = model_and_optimizer()
                loader = iter(torch.utils.data.DataLoader(range(4), collate_fn=lambda rows: rows))
                next(loader)
                take_steps(*job, 12)  # enough to see that a new phase began
                next(loader)
                assert list(recorder.optimizers().values()) == [job[1]]
                gone += [weakref.ref(x) for x in (*job, loader._dataset_fetcher)]
                del job, loader
                gc.collect()
                assert not any(x() for x in gone), [x() for x in gone]
                assert recorder.optimizers() == {}
            recorder._start_over()
            assert recorder._optimizers == {}
        finally:
            recorder._uninstall()


def a_capture_holds_nothing_after_its_step():
    model, optimizer = model_and_optimizer()
    other, capture = nn.Linear(2, 2), Capture([optimizer])
    capture.install()
    other(torch.ones(1, 2))
    assert len(capture._others) == 1
    held = [weakref.ref(x) for x in (model, other, optimizer)]
    del model, other, optimizer
    gc.collect()
    assert not any(x() for x in held)
    capture.remove()
    assert not capture._trained and not capture._others


def the_function_mode_goes_whatever_becomes_of_the_capture():
    with tempfile.TemporaryDirectory() as folder:
        recorder = recorder_in(folder)
        recorder.captured, recorder.chains = Odd(), Chains()
        recorder.chains.install()
        assert torch._C._len_torch_function_stack() == 1
        recorder._uninstall()
        assert torch._C._len_torch_function_stack() == 0 and recorder.chains is None


def after_the_recording_only_what_comes_at_intervals_is_timed():
    with tempfile.TemporaryDirectory() as folder:
        recorder = recorder_in(folder, warmup=3, untraced=1, traced=1, rounds=1, replacements=0)
        try:
            take_steps(*model_and_optimizer(), 80)
            assert recorder.result.state == "complete" and set(recorder.timers._undo) == {"save", "evaluate", "epoch"}, recorder.timers._undo
        finally:
            recorder._uninstall()


def record_of_rank(rank, world, n_steps, slow_steps=(), prefetched=0):
    """Is the job stopped, and the result."""
    os.environ.update(RANK=str(rank), WORLD_SIZE=str(world))
    with tempfile.TemporaryDirectory() as folder:
        recorder = recorder_in(folder, warmup=4, untraced=1, traced=2, rounds=2, replacements=0, stop_after=1)
        try:
            model, optimizer = model_and_optimizer()
            for step in range(n_steps):
                sleep(0.01 if step in slow_steps else 0)
                recorder.timers.prefetched = prefetched
                take_steps(model, optimizer, 1)
            return False, recorder.result
        except SystemExit:
            return True, recorder.result
        finally:
            recorder._uninstall()
            del os.environ["RANK"], os.environ["WORLD_SIZE"]


def ranks_trace_the_same_steps_and_do_not_stop():
    traced = []
    for rank, slow_steps, prefetched in ((0, (), 0), (1, range(1, 12, 2), 8)):
        stopped, result = record_of_rank(rank, 2, 100, slow_steps, prefetched)
        assert not stopped and result.state == "complete" and RANKS_GO_ON in result.notes, result.notes
        assert result.tail[-1][0] == 100
        traced.append([step["number"] for r in result.rounds for step in r["traced"]])
    assert traced[0] == traced[1] and len(traced[0]) == 4, traced
    stopped, result = record_of_rank(0, 1, 140)
    first, second = (r["traced"][0]["number"] for r in result.rounds)  # how long it warms up depends on the machine's load
    assert stopped and not result.notes and second - first < traced[0][2] - traced[0][0], (first, second, result.notes)


def a_jobs_own_python_profiler_stays():
    notes = []
    for profiled in (False, True):
        job, events = model_and_optimizer(), []
        with tempfile.TemporaryDirectory() as folder:
            recorder = recorder_in(folder, warmup=3, untraced=1, traced=1, rounds=3, replacements=0)
            sys.setprofile((lambda frame, event, arg: events.append(event)) if profiled else None)
            try:
                take_steps(*job, 100)
                own = sys.getprofile() is not None
            finally:
                sys.setprofile(None)
                recorder._uninstall()
        result = recorder.result
        assert own == profiled and result.state == "complete" and len(result.rounds) == 3, result.notes
        assert [r["stacks"] for r in result.rounds] == [False, not profiled, False], result.rounds
        notes.append(result.notes)
    assert notes == [[], [NO_STACKS]], notes
