"""Which statement of the job's own files makes a call, and which of any file outside torch."""
import linecache
import os
import sysconfig

from ..contract import Part

HIDDEN, LIBRARY, OWN = range(3)  # frames of torch and of the hook; of other packages; of the job
# Frames of torch, and of which part of a step they are.
PARTS = (("optim/", Part.OPTIMIZER), ("utils/data/", Part.INPUT), ("autograd/graph.py", Part.BACKWARD),
         ("autograd/__init__.py", Part.BACKWARD))
DISPATCHES = "__torch_dispatch__"  # of modes, which are asked as "self"; classes of tensors are asked as "cls"
LOOKING = "utils/flop_counter.py", "utils/_debug_mode.py", "utils/_debug_mode/"  # torch's own modes that only look; others are needed
TEXT_MOST = 160  # characters of a line
DEEPEST = 64  # of the job's own calls, from the innermost
PACKAGES = tuple(os.sep + name + os.sep for name in ("site-packages", "dist-packages"))
NOTEBOOK = "<ipython-input"
COMPILED = os.sep + "torchinductor_"  # its folder where no other is set


def _folders():
    import torch

    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    folders = [here, os.path.dirname(torch.__file__)]
    compiled = os.environ.get("TORCHINDUCTOR_CACHE_DIR")  # code that torch.compile has written
    hidden = tuple(os.path.join(folder, "") for folder in folders + ([compiled] if compiled else []))
    paths = sysconfig.get_paths()
    library = {os.path.join(paths[name], "") for name in ("stdlib", "platstdlib", "purelib", "platlib") if name in paths}
    return hidden, tuple(library)


def stack_of(frame):
    """Of this thread: what others have may be gone while it is read."""
    while frame is not None:
        yield frame
        frame = frame.f_back


class Lines:
    """Statements with those that called them: one that is reached on two ways has two rows."""

    def __init__(self):
        self.files, self.file, self.function, self.line, self.caller = [], [], [], [], []
        self._hidden, self._library = _folders()
        self._parts = [(self._hidden[1] + begin.replace("/", os.sep), part) for begin, part in PARTS]
        self._kinds = {}  # id of a code object → (kind, part of a step, see _asks_python(), it): its own hash is of all that it holds
        self.asks_python = False  # in the stack that was looked at last: is a mode asked, or the operator called by it?
        self._known_files = {}
        self._known = {}  # (file, function, line, row of the caller) → row

    def find(self, frames):
        """Of a stack, from the innermost frame on: (the job's own statement, the innermost outside torch, the part of a step that torch is at, the same without what the
        job's own code does in it); -1 where there is no statement."""
        own, inner, part, of_torch, asks_python = [], None, Part.CODE, Part.CODE, False
        for frame in frames:
            code = frame.f_code
            found = self._kinds.get(id(code))
            if found is None:
                found = self._kinds[id(code)] = (self._kind_of(code.co_filename), self._part_of(code.co_filename),
                                                 self._asks_python(code), code)
            kind, at, asks, _ = found
            asks_python = asks_python or asks
            if part == Part.CODE and at != Part.CODE:
                part = at
                of_torch = Part.CODE if own else at
            if kind == OWN:
                own.append((code, frame.f_lineno))
            elif kind == LIBRARY and inner is None and not own:
                inner = code, frame.f_lineno
        self.asks_python = asks_python
        row = -1
        for code, line in reversed(own[:DEEPEST]):
            row = self._index(code, line, row)
        return row, row if inner is None else self._index(*inner, row), part, of_torch

    def _asks_python(self, code):
        """Is it of a mode, which is called for each operator?"""
        if code.co_name != DISPATCHES or code.co_varnames[:1] != ("self",):
            return False
        here, torch = self._hidden[:2]
        looking = tuple(torch + name.replace("/", os.sep) for name in LOOKING)
        return code.co_filename.startswith(looking) or not code.co_filename.startswith((here, torch))

    def _part_of(self, name):
        return next((part for begin, part in self._parts if name.startswith(begin)), Part.CODE)

    def _kind_of(self, name):
        if name.startswith("<"):
            return OWN if name.startswith(NOTEBOOK) else HIDDEN
        if name.startswith(self._hidden) or COMPILED in name:
            return HIDDEN
        name = os.path.abspath(name)
        if name.startswith(self._library) or any(folder in name for folder in PACKAGES):
            return LIBRARY
        return OWN

    def _index(self, code, line, caller):
        key = code.co_filename, getattr(code, "co_qualname", code.co_name), line, caller
        if key not in self._known:
            self._known[key] = len(self.line)
            self.file.append(self._file_index(code.co_filename))
            self.function.append(key[1])
            self.line.append(line or 0)
            self.caller.append(caller)
        return self._known[key]

    def texts(self):
        """Of each row the line itself, as its file has it now."""
        for file, line in zip(self.file, self.line):
            yield linecache.getline(self.files[file], line).strip()[:TEXT_MOST]

    def _file_index(self, name):
        path = name if name.startswith("<") else os.path.abspath(name)
        if path not in self._known_files:
            self._known_files[path] = len(self.files)
            self.files.append(path)
        return self._known_files[path]
