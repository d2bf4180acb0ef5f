"""Where the host's time goes, of jobs in which that is known; and jobs that end, fork or raise meanwhile."""
import contextlib
import gc
import glob
import os
import statistics
import sys
import tempfile
import threading
from time import perf_counter, sleep

import torch
from gait_hook.observing import flow as hook_flow
from gait_hook.observing import sampler
from gait_hook.contract import Flow
from gait_hook.observing.flow_lines import stack_of
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode

from data_flow import OwnMode, Watched, line_of, watching
from shared import model_and_optimizer, take_steps

STEPS = 140  # enough where a busy machine makes the warm-up long


class Sampled(Watched):
    def share(self, is_there):
        """Of all readings, those at statements for which is_there(file, function, line)."""
        samples = self.table["samples"]
        return sum(n for n, row in zip(samples["count"], samples["line"]) if is_there(*self.place(row))) / sum(samples["count"])

    def share_in(self, *functions):
        names = [function.__qualname__ for function in functions]
        return self.share(lambda file, function, line: function in names)

    def place(self, row):
        lines = self.table["lines"]
        return (self.file["files"][lines["file"][row]], self.file["functions"][lines["function"][row]],
                lines["line"][row]) if row >= 0 else ("", "", 0)

    def callers(self, function, text):
        """Of the rows of that statement, the statements that called it."""
        lines = self.table["lines"]
        return {self.place(caller) for row, caller in enumerate(lines["caller"]) if self.place(row) == here(function, text)}


def here(function, text):
    return (os.path.abspath(__file__), *line_of(function, text)[1:])


def samples_of(train, **settings):
    """What is read in a job; train(steps) takes them."""
    with watching(**settings) as (recorder, folder):
        train(STEPS)
        assert recorder.result.state == "complete" and recorder.sampler is None, recorder.result.notes
        return Sampled(glob.glob(folder + "/flow-*")[0]), recorder


def work_in_python(seconds):
    end = perf_counter() + seconds
    while perf_counter() < end:
        pass


def train_beside_python(steps, times):
    """times: of each step, when Python began, when the wait began, when that ended."""
    model, x = nn.Linear(512, 512), torch.ones(64, 512)
    optimizer = torch.optim.SGD(model.parameters(), 1e-6)
    for _ in range(steps):
        times.append([perf_counter()])
        work_in_python(0.012)
        times[-1].append(perf_counter())
        sleep(0.006)
        times[-1].append(perf_counter())
        optimizer.zero_grad()
        model(x).sum().backward()
        optimizer.step()


def python_and_waits_have_their_share():
    interval = sys.getswitchinterval()
    times = []
    seen, _ = samples_of(lambda steps: train_beside_python(steps, times))
    assert sys.getswitchinterval() == interval
    assert sampler.STEPS <= seen.file[Flow.SAMPLED_STEPS] <= sampler.STEPS_MOST and seen.file[Flow.STEPS] == 3
    steps, sampled_s = seen.file[Flow.SAMPLED_STEPS], seen.file[Flow.SAMPLED_NS] / 1e9
    spinning = statistics.median(b - a for a, b, _ in times) * steps / sampled_s
    waiting = statistics.median(c - b for _, b, c in times) * steps / sampled_s
    told = seen.share_in(work_in_python), seen.share(lambda *place: place == here(train_beside_python, "sleep("))
    assert 0.6 < told[0] / spinning < 1.6 and 0.5 < told[1] / waiting < 1.8, (told, spinning, waiting)
    assert seen.callers(work_in_python, "while ") == {here(train_beside_python, "work_in_python(")}
    readings = sum(seen.table["samples"]["count"])
    assert 0.7 < readings * sampler.PERIOD_S / sampled_s < 1.3, readings
    assert seen.find("aten::addmm"), "the data flow is in the same file, with the same statements"


class Counter(TorchDispatchMode):
    """Looks at each call, and takes its time."""

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        work_in_python(0.001)
        return function(*args, **(kwargs or {}))


def train_under(mode, steps):
    model, optimizer = model_and_optimizer()
    for _ in range(steps):
        with mode():
            loss = model(torch.ones(4, 2)).sum()
        optimizer.zero_grad()
        loss.backward()
        work_in_python(0.002)
        optimizer.step()


def python_that_runs_for_each_operator_is_noted():
    _, with_it = samples_of(lambda steps: train_under(Counter, steps))
    assert 0.2 < with_it.result.settings["python_dispatch"] < 1, with_it.result.settings
    _, without = samples_of(lambda steps: train_under(contextlib.nullcontext, steps))
    assert "python_dispatch" not in without.result.settings


class Rows(torch.utils.data.Dataset):
    def __len__(self):
        return STEPS * 4

    def __getitem__(self, i):
        work_in_python(0.002)
        return torch.ones(2)


def train_on_rows(steps):
    model, optimizer = model_and_optimizer()
    for batch in torch.utils.data.DataLoader(Rows(), batch_size=4):
        model(batch).sum().backward()
        optimizer.step()


def items_of_a_data_set_are_called_by_the_loop_over_its_loader():
    seen, _ = samples_of(train_on_rows)
    assert seen.callers(work_in_python, "while ") == {here(Rows.__getitem__, "work_in_python(")}
    assert seen.callers(Rows.__getitem__, "work_in_python(") == {here(train_on_rows, "for batch")}
    assert seen.share_in(work_in_python, Rows.__getitem__) > 0.6


def a_call_that_does_not_give_way_counts_for_all_that_was_due():
    rows = list(range(40000, 0, -1)) * 10

    def train(steps):
        model, optimizer = model_and_optimizer()
        for _ in range(steps):
            begin = perf_counter()
            sorted(rows)
            taken.append(perf_counter() - begin)
            take_steps(model, optimizer, 1)

    taken = []
    seen, _ = samples_of(train)
    assert statistics.median(taken) > 2 * sampler.PERIOD_S and seen.share_in(train) > 0.6, seen.share_in(train)


def a_job_that_cannot_be_watched_has_samples():
    own = OwnMode()
    kept, hook_flow.compiles = hook_flow.compiles, lambda: True
    try:
        seen, recorder = samples_of(train_on_rows)
        assert recorder.result.notes == [hook_flow.COMPILES], recorder.result.notes
    finally:
        hook_flow.compiles = kept
    assert seen.file[Flow.STEPS] == 0 and not len(seen.calls["name"]) and seen.file[Flow.SAMPLED_STEPS] >= sampler.STEPS
    with own:
        seen, recorder = samples_of(train_on_rows)
    assert "dispatch mode" in recorder.result.notes[0] and seen.table["samples"]["count"]


@contextlib.contextmanager
def sampling(**settings):
    """A job that has been sampled for some steps."""
    with watching(**settings) as (recorder, folder):
        job = model_and_optimizer()
        while recorder.sampler is None or not recorder.sampler.samples.steps:
            take_steps(*job, 1)
        yield recorder, folder, job


def ends(reader):
    """Our thread does, soon after it is asked to."""
    for _ in range(1000):
        if not reader._on and all(f.f_code is not sampler.Sampler._read_on.__code__ for f in sys._current_frames().values()):
            return True
        sleep(0.01)
    return False


def a_job_that_ends_meanwhile_keeps_what_is_complete():
    interval = sys.getswitchinterval()
    with sampling() as (recorder, folder, _):
        reader, names = recorder.sampler, threading.enumerate()
        assert len(names) == len({*names, threading.current_thread()}) and sys.getswitchinterval() <= interval
        recorder._at_exit()
        assert recorder.result.state == "ended early" and ends(reader)
        seen = Sampled(glob.glob(folder + "/flow-*")[0])
        assert seen.file[Flow.SAMPLED_STEPS] == reader.samples.steps and not seen.file[Flow.STEPS]
    assert sys.getswitchinterval() == interval


def a_switch_interval_of_the_jobs_own_stays():
    interval = sys.getswitchinterval()
    try:
        with sampling() as (recorder, _, job):
            sys.setswitchinterval(0.25)
            take_steps(*job, STEPS)
            assert recorder.result.state == "complete" and abs(sys.getswitchinterval() - 0.25) < 1e-9
    finally:
        sys.setswitchinterval(interval)


def a_child_is_not_sampled():
    interval = sys.getswitchinterval()
    with sampling() as (recorder, folder, job):
        child = os.fork()
        if child == 0:
            take_steps(*job, 3)
            os._exit(recorder.sampler is not None or sys.getswitchinterval() != interval or bool(glob.glob(folder + "/flow-*")))
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0 and recorder.sampler is not None
        take_steps(*job, STEPS)
        assert recorder.result.state == "complete"


def a_job_that_raises_or_begins_anew_is_left_alone():
    with sampling() as (recorder, _, job):
        reader = recorder.sampler
        with contextlib.suppress(ValueError):
            raise ValueError("of the job")
        recorder._start_over()
        assert recorder.sampler is None and ends(reader)
        take_steps(*job, 1)


def a_job_that_stops_training_is_no_longer_read():
    kept, sampler.PATIENCE_S = sampler.PATIENCE_S, 0.1
    try:
        with sampling() as (recorder, _, job):
            assert ends(recorder.sampler)
            take_steps(*job, STEPS)
            assert recorder.result.state == "complete"
    finally:
        sampler.PATIENCE_S = kept


def a_thread_that_trains_and_is_not_the_main_one_is_read():
    def train(steps):
        thread = threading.Thread(target=train_on_rows, args=(steps,))
        thread.start()
        thread.join()

    seen, _ = samples_of(train)
    assert seen.share_in(work_in_python, Rows.__getitem__) > 0.6


def ranks_are_sampled_for_as_many_steps():
    os.environ.update(RANK="0", WORLD_SIZE="2")
    try:
        seen, _ = samples_of(train_on_rows)
    finally:
        del os.environ["RANK"], os.environ["WORLD_SIZE"]
    assert seen.file[Flow.SAMPLED_STEPS] == sampler.STEPS


def nothing_of_the_job_is_held_by_a_reading():
    reader = sampler.Sampler(threading.get_ident())
    reader._on = True

    def inner():
        held = nn.Linear(1, 1)
        reader._read(1)
        return sys.getrefcount(held)

    assert inner() == 2 and reader._counts


def code_that_was_compiled_is_not_the_jobs_own():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "torchinductor_me", "ab", "cab.py")
        names = {}
        exec(compile("def call(f):\n    return f()\n", path, "exec"), names)
        lines = sampler.Samples().lines
        row = names["call"](lambda: lines.find(stack_of(sys._getframe())))[0]
        while row >= 0:
            assert lines.files[lines.file[row]] != path
            row = lines.caller[row]


def another_threads_stack_is_read_in_one_go():
    """While it goes up and down; whether garbage is collected stays as the job has it, and is never seen to change."""
    ready, done, seen, switch = threading.Event(), threading.Event(), [], sys.getswitchinterval()

    def deep(n):
        return deep(n - 1) + len([*map(lambda i: i, range(3))]) if n else 0

    def job():
        ready.set()
        while not done.is_set():
            deep(30)
            seen.append(gc.isenabled())

    sys.setswitchinterval(1e-5)
    try:
        for on in (True, False):
            (gc.enable if on else gc.disable)()
            ready.clear(), done.clear(), seen.clear()
            thread = threading.Thread(target=job)
            thread.start()
            ready.wait()
            for _ in range(2000):
                names = [frame.f_code.co_name for frame in sampler.frames_of(thread.ident)]
                assert names[-1] == "_bootstrap", names
            done.set()
            thread.join()
            assert set(seen) == {on} and gc.isenabled() == on
    finally:
        gc.enable()
        sys.setswitchinterval(switch)
    assert list(sampler.frames_of(-1)) == []
