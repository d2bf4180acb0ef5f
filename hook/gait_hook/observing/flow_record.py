"""The calls of the watched steps as columns of numbers, with tables of what they name; and the file that has them.

A storage's life is known by the address of its StorageImpl. PyTorch's weak reference to it keeps that address from being given
to another one as long as the life is recorded, and not the memory of its numbers: these are freed as without the recorder.
"""
import contextlib
import json
import os
import sys
import threading
from array import array

from ..contract import FLOW_COLUMNS, FLOW_VERSION
from ..contract import Flow as Head
from .flow_ops import Operators
from .sampler import Samples

CALLS_MOST = 300_000
USES_MOST = 3_000_000


class Life:
    __slots__ = ("index", "version", "made_in", "counters")

    def __init__(self, index, made_in):
        self.index, self.version = index, 0
        self.made_in = made_in  # the step of the call that made it, or -1
        self.counters = {}  # id of a tensor on it → (PyTorch's count of writes, ours), when it was seen last


class Table:
    """Each value once, with its index."""

    def __init__(self):
        self.values, self._known = [], {}

    def index(self, value):
        found = self._known.get(value)
        if found is None:
            found = self._known[value] = len(self.values)
            self.values.append(value)
        return found


class Record:
    def __init__(self, samples=None):
        """samples: with the statements that they know already."""
        self.samples = samples or Samples()
        self.lines = self.samples.lines
        self.columns = {column: array("q") for column in FLOW_COLUMNS}
        self.call_rows = self._rows("ops")
        self.use_rows = self._rows("op_tensors")
        self.storage_bytes, self.storage_sources = self.columns["tensors", "bytes"], self.columns["tensors", "source"]
        self.shapes, self.dtypes, self.threads, self.rows_of_ops = Table(), Table(), Table(), Table()
        self.steps = 0  # that are complete
        self.notes = []
        self.unseen_writes = 0
        self.operators = Operators()
        self._lives = {}  # address of a storage → Life
        self._weak = []  # the addresses that are kept from being given away
        self.lock = threading.RLock()  # a signal handler of the job may come in while we are inside
        self.inside = False

    def note(self, text):
        if text not in self.notes:
            self.notes.append(text)

    def _rows(self, table):
        return [column.append for (of, _), column in self.columns.items() if of == table]

    def n_calls(self):
        return len(self.columns["ops", "name"])

    def is_full(self):
        return self.n_calls() >= CALLS_MOST or len(self.columns["op_tensors", "op"]) >= USES_MOST

    @contextlib.contextmanager
    def alone(self):
        """One thread at a time; False where this one is inside already: a handler or finalizer of the job interrupted us, and
        what it does is not seen."""
        with self.lock:
            if self.inside:
                yield False
                return
            self.inside = True
            try:
                yield True
            finally:
                self.inside = False

    # -- operators

    def op_index(self, name, bits):
        """Calls of one operator that draw random numbers and calls that do not have two rows."""
        return self.rows_of_ops.index((name, bits))

    # -- storages

    def life(self, x, source, made_in=-1):
        """Of the storage of that tensor, which begins with that source where it is new; (None, False) where it has none."""
        try:
            storage = x.untyped_storage()
        except (RuntimeError, NotImplementedError):  # sparse, opaque
            return None, False
        address, n_bytes = storage._cdata, storage.nbytes()
        found = self._lives.get(address)
        if found is not None:
            if n_bytes > self.storage_bytes[found.index]:  # resized
                self.storage_bytes[found.index] = n_bytes
            return found, False
        self._weak.append(storage._weak_ref())
        found = self._lives[address] = Life(len(self.storage_bytes), made_in)
        self.storage_bytes.append(n_bytes)
        self.storage_sources.append(source)
        return found, True

    def name_source(self, life, source):
        self.storage_sources[life.index] = source

    def notice_unseen_writes(self, life, x):
        """Where PyTorch counted more writes than were seen since that tensor came last, the value is a new one.

        Not of what the step itself made: its operators were seen, and tensors that come and go have the same ids."""
        count = _counted_writes(x)
        if count < 0:
            return
        before = life.counters.get(id(x))
        if before is not None and count - before[0] > life.version - before[1]:
            life.version += 1
            self.unseen_writes += 1
        life.counters[id(x)] = count, life.version

    def _kept(self):
        """Of each storage whether the job still has it."""
        from torch import UntypedStorage

        return (not UntypedStorage._expired(address) for address in self._weak)

    def release(self):
        """Storages that are gone may be forgotten now. Never raises."""
        weak, self._weak, self._lives = self._weak, [], {}
        try:
            from torch import UntypedStorage

            for address in weak:
                UntypedStorage._free_weak_ref(address)
        except Exception:
            pass

    # -- the file

    def write(self, path):
        """Under a temporary name and then renamed: a reader sees all or nothing."""
        for name in ("file", "line", "caller"):
            self.columns["lines", name] = array("q", getattr(self.lines, name))
        self.columns["tensors", "kept"] = array("q", map(int, self._kept()))
        functions = Table()
        self.columns["lines", "function"] = array("q", map(functions.index, self.lines.function))
        texts = Table()
        self.columns["lines", "text"] = array("q", map(texts.index, self.lines.texts()))
        rows = [(*key, count) for key, count in self.samples.counts.items()]
        for i, name in enumerate(("line", "inner", "part", "count")):
            self.columns["samples", name] = array("q", (row[i] for row in rows))
        try:
            with open(path + ".part", "wb") as f:
                f.write(json.dumps(self._head(functions, texts)).encode() + b"\n")
                for column in self.columns.values():
                    if sys.byteorder == "big":
                        column.byteswap()
                    column.tofile(f)
            os.rename(path + ".part", path)
        except BaseException:
            _remove(path + ".part")
            raise

    def _head(self, functions, texts):
        rows = {table: len(column) for (table, _), column in self.columns.items()}
        return {
            Head.VERSION: FLOW_VERSION, Head.STEPS: self.steps, Head.SAMPLED_STEPS: self.samples.steps, Head.SAMPLED_NS: self.samples.ns,
            Head.FILES: self.lines.files, Head.FUNCTIONS: functions.values, Head.TEXTS: texts.values,
            Head.OPS: [name for name, _ in self.rows_of_ops.values], Head.TRAITS: [bits for _, bits in self.rows_of_ops.values],
            Head.SHAPES: [str(list(shape)) for shape in self.shapes.values], Head.DTYPES: self.dtypes.values,
            Head.NOTES: self.notes, Head.ROWS: list(rows.values()),
        }


def _counted_writes(x):
    try:
        return x._version
    except RuntimeError:  # made in inference mode: not counted
        return -1


def _remove(path):
    try:
        os.remove(path)
    except OSError:
        pass
