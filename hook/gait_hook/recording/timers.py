"""What is timed without the tracer, by wrapping a few functions of torch; all of it can be undone.

backward   torch.autograd.backward, which Tensor.backward calls
loader     the wait for a batch: __next__ of a DataLoader's iterator
loader_cpu of that, what the thread computed itself or stood in line for a core
collate    of that, the job's own collate_fn, where no workers call it
stack      of that, torch's own in its place
save       torch.save
evaluate   from model.eval() to model.train() of the same module, without the saves between
exchange   waits of the job's own code for gathers and broadcasts: not a module's, nor an optimizer's
buffers    DistributedDataParallel's broadcast of a model's buffers, which waits in C++
collective other waits for collectives outside the backward pass; those of DistributedDataParallel are a part of it
garbage    collections of all generations, asked for or not, in whichever thread: Python waits for them
"""
import functools
import gc
import os
import sys
import threading
import weakref
from time import perf_counter_ns, thread_time_ns

from ..contract import Timing
from .fetching import Fetching

MODELS_FILES = (os.path.join("torch", "nn", "modules", "module.py"), os.path.join("torch", "optim", "optimizer.py"))
GENERATIONS = 3  # younger ones are collected in passing


def _prefetched_by(iterator):
    """Batches that its workers may have ready; 0 where there are none, or it does not say."""
    try:
        return int(iterator._num_workers) * int(iterator._prefetch_factor or 1)
    except Exception:
        return 0


def _is_the_models_own(frame):
    """Is it called by a module or an optimizer? These need what they wait for: sharded weights, parts of a layer."""
    while frame:
        if frame.f_code.co_filename.endswith(MODELS_FILES):
            return True
        frame = frame.f_back
    return False


class WorkClock:
    """Time in which this thread computed, or would have if others on the machine had not had the core; Linux tells the
    latter."""

    def __init__(self):
        self._file = -1
        try:
            self._file = os.open("/proc/thread-self/schedstat", os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            pass

    def now_ns(self):
        return thread_time_ns() + self._in_line_ns()

    def _in_line_ns(self):
        try:
            return int(os.pread(self._file, 64, 0).split()[1])
        except (OSError, ValueError, IndexError):
            return 0

    def close(self):
        file, self._file = self._file, -1
        if file >= 0:
            os.close(file)


class Timers:
    def __init__(self):
        self.ns = {}  # since the last take()
        self.counts = {}
        self.prefetched = 0  # batches that workers may have ready
        self._undo = {}  # what → (owner, name, the original)
        self._evaluating = {}  # id of a module → (since when, saves until then)
        self._saves = 0
        self._thread = None  # the one that trains
        self._work = None  # its WorkClock
        self._collecting_since = None
        self._in_backward = False
        self.anomaly = False  # was anomaly detection on in the last backward pass?
        self._in_buffers = False
        self._exchanging = set()  # numbers of the collectives that do
        self._collate = None  # (weak fetcher, the original, the wrapper) of the loader met last
        self.fetching = Fetching()

    def add(self, what, ns):
        self.ns[what] = self.ns.get(what, 0) + ns
        self.counts[what] = self.counts.get(what, 0) + 1

    def take(self):
        """The sums since the last call, (ns, counts)."""
        taken = self.ns, self.counts
        self.ns, self.counts = {}, {}
        return taken

    def install(self, thread):
        """Times what that thread does: the one that trains, which need not be the one that imports."""
        import torch
        import torch.utils.data.dataloader as dataloader

        self._thread, self._work = thread, WorkClock()
        self._replace(Timing.BACKWARD, torch.autograd, "backward", self._timed_backward)
        self._replace(Timing.SAVE, torch, "save", self._timed_save)
        self._replace(Timing.LOADER, dataloader._BaseDataLoaderIter, "__next__", self._timed_next)
        self._replace(Timing.EPOCH, dataloader.DataLoader, "__iter__", self._timed_iter)
        self._replace(Timing.EVALUATE, torch.nn.Module, "train", self._timed_mode)
        for time_them in self._time_collectives, self._time_buffers:
            try:
                time_them()
            except Exception:  # a torch that is built without them, or has them elsewhere
                pass
        gc.callbacks.append(self._collecting)

    def _time_collectives(self):
        from torch._C._distributed_c10d import OpType, Work

        self._exchanging = {int(kind) for name, kind in OpType.__members__.items() if "GATHER" in name or name == "BROADCAST"}
        self._replace(Timing.COLLECTIVE, Work, "wait", self._timed_wait)  # blocking calls wait through it too

    def _time_buffers(self):
        from torch.nn.parallel import DistributedDataParallel

        self._replace(Timing.BUFFERS, DistributedDataParallel, "_sync_buffers", self._timed_buffers)

    def remove(self, *whats):
        """Puts the originals back: those named, or all."""
        if not whats and self._collecting in gc.callbacks:
            gc.callbacks.remove(self._collecting)
        if not whats or Timing.LOADER in whats:
            self._forget_collate()
            self._close_clock()
        for what in whats or list(self._undo):
            if what not in self._undo:
                continue
            owner, name, original, wrapper = self._undo.pop(what)
            if owner.__dict__.get(name) is wrapper:  # else the job wrapped it too: leave it alone
                setattr(owner, name, original)

    def _close_clock(self):
        if self._work:
            self._work.close()

    def _replace(self, what, owner, name, wrap):
        original = owner.__dict__[name]
        wrapper = functools.wraps(original)(wrap(what, original))
        self._undo[what] = owner, name, original, wrapper
        setattr(owner, name, wrapper)

    def _active(self, what):
        return what in self._undo and threading.get_ident() == self._thread

    def _collecting(self, phase, info):
        if info["generation"] < GENERATIONS - 1:
            return
        if phase == "start":
            self._collecting_since = perf_counter_ns()
        elif self._collecting_since is not None:
            self.add(Timing.GARBAGE, perf_counter_ns() - self._collecting_since)
            self._collecting_since = None

    def _timed_backward(self, what, call):
        from torch import is_anomaly_enabled

        def backward(*args, **kwargs):
            if not self._active(what):
                return call(*args, **kwargs)
            begin, outer = perf_counter_ns(), self._in_backward
            self._in_backward = True
            self.anomaly = is_anomaly_enabled()
            try:
                return call(*args, **kwargs)
            finally:
                self._in_backward = outer
                self.add(what, perf_counter_ns() - begin)

        return backward

    def _timed_wait(self, what, call):
        def wait(work, *args, **kwargs):
            begin = perf_counter_ns()
            try:
                return call(work, *args, **kwargs)
            finally:
                if self._active(what) and not self._in_backward and not self._in_buffers:
                    ns = perf_counter_ns() - begin
                    self.add(Timing.EXCHANGE if self._exchanges(work) else Timing.COLLECTIVE, ns)

        return wait

    def _exchanges(self, work):
        try:
            return work._get_op_type() in self._exchanging and not _is_the_models_own(sys._getframe(2))
        except Exception:  # a class of work of the job's own
            return False

    def _timed_buffers(self, what, call):
        def _sync_buffers(*args, **kwargs):
            if not self._active(what):
                return call(*args, **kwargs)
            begin = perf_counter_ns()
            self._in_buffers = True
            try:
                return call(*args, **kwargs)
            finally:
                self._in_buffers = False
                self.add(what, perf_counter_ns() - begin)

        return _sync_buffers

    def _timed_save(self, what, call):
        def save(*args, **kwargs):
            begin = perf_counter_ns()
            try:
                return call(*args, **kwargs)
            finally:
                if self._active(what):
                    ns = perf_counter_ns() - begin
                    self._saves += ns
                    self.add(what, ns)

        return save

    def _try_to_time_collate(self, iterator):
        """The iterator, its fetcher and its collate_fn may be the job's own, of whatever kind."""
        try:
            self._time_collate(iterator)
        except Exception:
            pass

    def _time_collate(self, iterator):
        fetcher = getattr(iterator, "_dataset_fetcher", None)  # workers have their own
        call = getattr(fetcher, "collate_fn", None)
        if call is None or (self._collate and self._collate[0]() is fetcher):
            return
        what = Timing.STACK if (getattr(call, "__module__", None) or "").startswith("torch.utils.data") else Timing.COLLATE
        self._forget_collate()

        def put_together(rows):
            self.fetching.items_are_there(rows)
            begin = perf_counter_ns()
            try:
                return call(rows)
            finally:
                if self._active(Timing.LOADER):
                    self.add(what, perf_counter_ns() - begin)

        fetcher.collate_fn = put_together
        self._collate = weakref.ref(fetcher), call, put_together

    def _forget_collate(self):
        if self._collate:
            (met, call, collate), self._collate = self._collate, None
            fetcher = met()
            if fetcher is not None and fetcher.collate_fn is collate:
                fetcher.collate_fn = call

    def _work_ns(self):
        return self._work.now_ns() if self._work else 0

    def _timed_next(self, what, call):
        def __next__(iterator):
            watched = False
            if self._active(what):
                self._try_to_time_collate(iterator)
                watched = self.fetching.watch(iterator)
            begin, begin_work = perf_counter_ns(), self._work_ns()
            try:
                return call(iterator)
            finally:
                if watched:
                    self.fetching.unwatch()
                if self._active(what):
                    self.prefetched = _prefetched_by(iterator) or self.prefetched
                    self.add(what, perf_counter_ns() - begin)
                    self.add(Timing.LOADER_CPU, max(0, self._work_ns() - begin_work))

        return __next__

    def _timed_iter(self, what, call):
        def __iter__(loader):
            begin = perf_counter_ns()
            try:
                return call(loader)
            finally:
                if self._active(what) and loader.num_workers:  # else nothing is started
                    self.add(what, perf_counter_ns() - begin)

        return __iter__

    def _timed_mode(self, what, call):
        """A module's train() calls that of its children: the outermost call counts."""

        inside = False

        def train(module, mode=True):
            nonlocal inside
            if inside:
                return call(module, mode)
            inside = True
            try:
                return call(module, mode)
            finally:
                inside = False
                if self._active(what):
                    self._mode_set(what, module, mode)

        return train

    def _mode_set(self, what, module, training):
        now = perf_counter_ns()
        if not training:
            self._evaluating.setdefault(id(module), (now, self._saves))
            return
        begin = self._evaluating.pop(id(module), None)
        if begin:
            self._evaluating.clear()  # what else was set to eval within belongs to this one
            self.add(what, now - begin[0] - (self._saves - begin[1]))
