"""Which statement of the job's own files makes a call, and which of any file outside torch."""
import os
import sysconfig

HIDDEN, LIBRARY, OWN = range(3)  # frames of torch and of the hook; of other packages; of the job
PACKAGES = tuple(os.sep + name + os.sep for name in ("site-packages", "dist-packages"))
NOTEBOOK = "<ipython-input"


def _folders():
    import torch

    here = os.path.dirname(os.path.abspath(__file__))
    hidden = tuple(os.path.join(folder, "") for folder in (here, os.path.dirname(torch.__file__)))
    paths = sysconfig.get_paths()
    library = {os.path.join(paths[name], "") for name in ("stdlib", "platstdlib", "purelib", "platlib") if name in paths}
    return hidden, tuple(library)


class Lines:
    def __init__(self):
        self.files, self.file, self.function, self.line = [], [], [], []
        self._hidden, self._library = _folders()
        self._kinds = {}  # code object → kind
        self._known_files = {}
        self._known = {}  # (code object, line) → index

    def find(self, frame):
        """(the job's own statement, the innermost outside torch), -1 where there is none."""
        inner = -1
        while frame is not None:
            code = frame.f_code
            kind = self._kinds.get(code)
            if kind is None:
                kind = self._kinds[code] = self._kind_of(code.co_filename)
            if kind != HIDDEN:
                line = self._index(code, frame.f_lineno)
                inner = line if inner < 0 else inner
                if kind == OWN:
                    return line, inner
            frame = frame.f_back
        return -1, inner

    def _kind_of(self, name):
        if name.startswith("<"):
            return OWN if name.startswith(NOTEBOOK) else HIDDEN
        if name.startswith(self._hidden):
            return HIDDEN
        name = os.path.abspath(name)
        if name.startswith(self._library) or any(folder in name for folder in PACKAGES):
            return LIBRARY
        return OWN

    def _index(self, code, line):
        key = code, line
        if key not in self._known:
            self._known[key] = len(self.line)
            self.file.append(self._file_index(code.co_filename))
            self.function.append(getattr(code, "co_qualname", code.co_name))
            self.line.append(line or 0)
        return self._known[key]

    def _file_index(self, name):
        path = name if name.startswith("<") else os.path.abspath(name)
        if path not in self._known_files:
            self._known_files[path] = len(self.files)
            self.files.append(path)
        return self._known_files[path]
