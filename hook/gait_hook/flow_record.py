"""The calls of the watched steps as columns of numbers, with tables of what they name; and the file that has them.

A storage's life is known by the address of its StorageImpl. PyTorch's weak reference to it keeps that address from being given
to another one as long as the life is recorded, and not the memory of its numbers: these are freed as without the recorder.
"""
import json
import os
import threading
from array import array

from .flow_lines import Lines
from .flow_ops import Operator

VERSION = 1
CALLS_MOST = 300_000
SOURCES = ("made", "parameter", "frozen", "state", "buffer", "gradient", "batch", "host", "random", "constant", "before")
MADE, PARAMETER, FROZEN, STATE, BUFFER, GRADIENT, BATCH, HOST, RANDOM, CONSTANT, BEFORE = range(len(SOURCES))
CALL_COLUMNS = ("op", "step", "line", "inner", "backward", "forward", "thread", "scalars", "first_use")
USE_COLUMNS = ("role", "argument", "storage", "version", "offset", "shape", "strides", "dtype", "hash", "zeros", "tail")


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
    def __init__(self):
        self.lines = Lines()
        self.calls = {name: array("q") for name in CALL_COLUMNS}
        self.uses = {name: array("q") for name in USE_COLUMNS}
        self.call_rows = [self.calls[name].append for name in CALL_COLUMNS]
        self.use_rows = [self.uses[name].append for name in USE_COLUMNS]
        self.storage_bytes, self.storage_sources = [], []
        self.shapes, self.dtypes, self.threads, self.rows_of_ops = Table(), Table(), Table(), Table()
        self.steps = 0  # that are complete
        self.notes = []
        self.unseen_writes = 0
        self._operators = {}  # of PyTorch's operators, which live as long as it does
        self._lives = {}  # address of a storage → Life
        self._weak = []  # the addresses that are kept from being given away
        self.lock = threading.Lock()

    def note(self, text):
        if text not in self.notes:
            self.notes.append(text)

    def n_calls(self):
        return len(self.calls["op"])

    # -- operators

    def operator(self, function):
        found = self._operators.get(function)
        if found is None:
            found = self._operators[function] = Operator(function)
        return found

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

    def write(self, path, pid):
        """Under a temporary name and then renamed: a reader sees all or nothing."""
        try:
            with open(path + ".part", "w") as f:
                json.dump(self._value(pid), f, separators=(",", ":"))
            os.rename(path + ".part", path)
        except BaseException:
            _remove(path + ".part")
            raise

    def _value(self, pid):
        calls = {name: column.tolist() for name, column in self.calls.items()}
        calls["first_use"].append(len(self.uses["role"]))
        return {
            "gait_flow": VERSION, "steps": self.steps, "pid": pid, "files": self.lines.files,
            "lines": {"file": self.lines.file, "function": self.lines.function, "line": self.lines.line},
            "ops": {"name": [name for name, _ in self.rows_of_ops.values], "bits": [bits for _, bits in self.rows_of_ops.values]},
            "shapes": self.shapes.values, "dtypes": self.dtypes.values,
            "storages": {"bytes": self.storage_bytes, "source": self.storage_sources}, "sources": SOURCES,
            "calls": calls, "uses": {name: column.tolist() for name, column in self.uses.items()}, "notes": self.notes,
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
